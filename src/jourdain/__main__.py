"""`python -m jourdain`: the command line."""

import sys

from .cli.main import main

if __name__ == "__main__":
    code = main()
    # An interrupt that came while some library ran text is remembered, though it was answered: Python would end by the
    # signal, not with this code. Running text anew forgets it.
    exec("")
    sys.exit(code)
