"""Released outputs with their printed numbers: recompute each number, and compare every digit.

The outputs themselves are other people's and not part of this package: the catalogue names the
repositories from which you get them.
"""
