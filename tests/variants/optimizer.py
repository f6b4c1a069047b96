"""Right answers to ``optimizer`` that are written differently."""
