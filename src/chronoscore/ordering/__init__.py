"""The order of events: in which order did things happen?"""
