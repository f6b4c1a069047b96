NO_PICTURE = "for now"
