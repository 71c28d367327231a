"""The interfaces and print-outs of older tools, computed by Chronoscore."""
