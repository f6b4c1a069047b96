NO_PICTURE = "A search gives a few texts with their scores: numbers that say more than a picture."
