"""Tables and their renderings, page layout and drawings; no module here names a family."""
