"""The time of an event."""
