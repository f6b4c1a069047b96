"""Why there is no picture of a test."""

NO_PICTURE = "a test answers yes or no, and `grader check` says which kinds of mistakes live on"
