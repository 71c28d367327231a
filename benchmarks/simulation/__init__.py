"""What backs the claims about intervals and tests: populations, and batches of runs from them."""
