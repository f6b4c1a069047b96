"""Learning alone: a folder of one's own, its progress, and the loop that answers every save."""
