"""The gradebook: every attempt of every run, and what people say of them, over all assignments."""
