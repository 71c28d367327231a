"""Temporal links: how do events and times stand to each other?"""
