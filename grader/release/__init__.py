"""A course to give away: its checks become data, and everything that must stay at home stays."""
