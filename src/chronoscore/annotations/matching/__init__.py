"""Match responses with targets, and count the pairs.

    compare (which annotations take part, which of them overlap, which pairs are equal)
      -> match (choose pairs, so that each target and each response is used at most once)
      -> count (a row of counters for each document)

One call compares, matches or counts all documents of a corpus, in columns.
"""
