"""What all tests share: examples take as long as they take, whatever else the machine does."""

from hypothesis import settings

settings.register_profile("chronoscore", deadline=None)
settings.load_profile("chronoscore")
