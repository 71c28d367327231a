"""Matched events: which events were found, when, and are they true?"""
