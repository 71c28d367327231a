"""Small evaluations of our own that call tilse as well-known ones do, with its import changed."""
