"""What is taught: the catalog, the solutions' markers, and what may leave the course."""
