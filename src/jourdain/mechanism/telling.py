"""What is told while something is computed: on stderr, so that it is not in the way of results."""

from __future__ import annotations

import sys


def in_notebook() -> bool:
    """Whether what is written to stderr is shown by a notebook; other programs may have its libraries loaded, too."""
    return type(sys.stderr).__module__.partition(".")[0] == "ipykernel"


def tell(words: str) -> None:
    """A line for whoever waits. In a notebook it goes to stdout: what is on stderr looks like a mistake there."""
    stream = sys.stdout if in_notebook() else sys.stderr
    stream.write(f"jourdain: {words}\n")
    stream.flush()
