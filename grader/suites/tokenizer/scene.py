"""Why there is no picture of a tokenizer."""

NO_PICTURE = "Its answers are texts and lists of ids, which a terminal shows as they are."
