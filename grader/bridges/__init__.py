"""One file per foreign system; the path itself knows none of them."""
