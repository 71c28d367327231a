"""Dated texts: timelines of days, how they are read, written and paired into cases."""
