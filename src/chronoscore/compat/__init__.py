"""The old tools' own interfaces and print-outs, on top of ours."""
