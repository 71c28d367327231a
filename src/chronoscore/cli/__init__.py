"""The command `chronoscore`: one module a verb."""
