"""Arrays in, arrays out: averaging and agreement."""
