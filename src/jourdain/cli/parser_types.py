"""Options of `jourdain types`."""

from __future__ import annotations

from typing import Any

TYPES_HELP = """\
examples:
  jourdain types                              all that are built in, and the libraries that are shipped
  jourdain types bushing                      one of them, with everything it takes
  jourdain types mine.yaml                    those of a library, or of a mechanism file
  jourdain types mine.yaml arc-pin            one of these
  jourdain types mine.yaml -o mine.html       a page of documentation, with symbols
"""


def types_options(parser: Any) -> None:
    parser.add_argument("source", nargs="?", metavar="FILE|NAME", help="a file of types, machine-parts, or a type")
    parser.add_argument("name", nargs="?", metavar="TYPE", help="one type of the file")
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("-o", "--output", metavar="FILE", help="write a page of documentation: .html")
