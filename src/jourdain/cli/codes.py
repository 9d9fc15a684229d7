"""Exit codes, as documented in docs/command-line.md."""

OK = 0
FAILED = 1  # the run could not go on to its end
FAULTY = 2  # what was asked for is wrong: options, the mechanism file, a name
UNWRITTEN = 3  # a file could not be written, or a library it needs is missing
MISTAKE = 70  # of the program itself, which should be reported
INTERRUPTED = 130  # from the keyboard; what was computed is kept
BROKEN_PIPE = 141  # whoever reads our output has stopped


class UsageError(Exception):
    """What was asked for cannot be done; the text says why and what could."""
