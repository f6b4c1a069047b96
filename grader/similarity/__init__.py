"""How much two texts have in common. It says what to look at, and never what it means."""
