"""Matched events: which events were found, and when?"""
