"""The wall, and the far side of it: submitted code runs in here and nowhere else."""
