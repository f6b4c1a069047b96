"""What can be typed: each command in a few lines, for the modules beside this folder."""
