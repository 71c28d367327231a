"""tilse 0.2.1 under its own names: `from tilse...` becomes `from chronoscore.compat.tilse...`.

Arguments, results, numbers and kinds of exceptions are tilse's; Chronoscore computes the numbers,
without Perl. Martschat and Markert 2017, Improving ROUGE for Timeline Summarization, EACL, describe
tilse. `docs/compat.md` lists the differences.
"""
