"""What a check asked, made again as a script of plain torch; it shows what is right."""
