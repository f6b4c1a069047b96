"""Packages in which a course grades by itself, elsewhere: on a platform, or in a container."""
