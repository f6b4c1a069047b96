"""What a page in the browser says beside the page itself."""

from __future__ import annotations

FILE = "{name}.py"
LEVEL = "level {level} of 5"
MINUTES = "about {minutes} minutes"
SITTINGS = " in {count} sittings"
NEEDS = "Do first: {names}."
BEFORE = "What to know before:"
AFTERWARDS = "Afterwards you can:"
PARTS = "What to write"
WRITTEN = "Written: {path}"
OPENED = "Written: {path}. It is shown in your browser."
