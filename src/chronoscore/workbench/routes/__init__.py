"""The doors of the workbench, a module for each part of the work."""
