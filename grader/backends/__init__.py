"""Where jobs run. Nothing here knows what grading is."""
