"""Why there is no picture of a tokenizer."""

NO_PICTURE = "its answers are texts and lists of ids, which `grader check` puts side by side"
