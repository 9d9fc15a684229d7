"""Options of `jourdain derive`."""

from __future__ import annotations

from typing import Any

DERIVE_HELP = """\
examples:
  jourdain derive four_bar                             blocks M, J, gamma, Q and how they are solved
  jourdain derive four_bar B --level components        one joint, in coordinates
  jourdain derive prismatic                            a joint of the catalogue, as vectors
  jourdain derive "dot(N - M, N - M) - 0.04"           a joint of your own, from its vector equation
  jourdain derive four_bar --coordinates natural -o four_bar.py
  jourdain derive pendulum --level minimal -o pendulum.tex
"""


def derive_options(parser: Any) -> None:
    parser.add_argument(
        "file", metavar="FILE|NAME", help="a mechanism file, an example, a name of the catalogue, or vector equations"
    )
    parser.add_argument("part", nargs="?", metavar="PART", help="a joint, relation, motion, force, element or body")
    parser.add_argument("--level", metavar="NAME", help="vectors, components, blocks or minimal")
    parser.add_argument("--coordinates", metavar="NAME", help="@coordinates@")
    parser.add_argument("--treatment", metavar="NAME", help="whose lines blocks show: @treatment@")
    parser.add_argument("--budget", type=float, metavar="SECONDS", default=20.0, help="time for minimal (default: 20)")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change a parameter")
    words = "write .tex, .md, .html, .py or .c; repeatable"
    parser.add_argument("-o", "--output", action="append", default=[], metavar="FILE", help=words)
