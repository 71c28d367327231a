"""How all tests are run: a slow machine is no failure."""

from hypothesis import settings

settings.register_profile("steady", deadline=None)
settings.load_profile("steady")
