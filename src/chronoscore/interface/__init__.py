"""What people hold in Python: results, comparisons, and their scores as tables and frames."""
