"""Coreference: which mentions are of the same event?"""
