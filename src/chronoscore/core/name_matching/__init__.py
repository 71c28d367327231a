"""Which prediction belongs to which gold: levels of equal names, systems, and the user's map."""
