"""Right answers to ``kv_cache`` that are written differently."""
