"""tilse 0.2.1 under its own names: `from tilse...` becomes `from chronoscore.compat.tilse...`.

Arguments, results, numbers and kinds of exceptions are tilse's; the numbers are counted by ours,
without Perl. tilse is described in Martschat and Markert 2017, Improving ROUGE for Timeline
Summarization, EACL. What differs is listed in `docs/compat.md`.
"""
