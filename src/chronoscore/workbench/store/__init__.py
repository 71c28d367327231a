"""All that the workbench knows, in one SQLite file: a module a concern."""

from chronoscore.workbench.store.database import Store, UnavailableError

__all__ = ["Store", "UnavailableError"]
