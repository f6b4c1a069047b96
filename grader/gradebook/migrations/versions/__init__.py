"""One module for each revision of the tables, which never changes once it was released."""
