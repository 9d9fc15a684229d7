"""Options of `jourdain live`, `jourdain replay` and `jourdain studio`."""

from __future__ import annotations

from typing import Any

LIVE_HELP = """\
examples:
  jourdain live four_bar                          plays, and takes words: help, grab, {do: ..}, quit
  jourdain live mine.yaml --record mine.jdlive    and keeps everything that is done
  printf 'wait 1\\n{do: remove, part: joints.C}\\nwait 1\\n' | jourdain live four_bar --no-wait

exit codes: 0 done, 1 something was refused or the machine failed, 2 options or file are faulty
"""
REPLAY_HELP = """\
examples:
  jourdain replay mine.jdlive --verify            the same bits? exit code 1 if not
  jourdain replay mine.jdlive -o out.csv --animate out.html
"""
STUDIO_HELP = """\
examples:
  jourdain studio                       the gallery, and what is in this folder
  jourdain studio mine.yaml             a file of your own; it is written when you save
  jourdain studio four_bar --no-open    only says the address

It needs: pip install 'jourdain[studio]'
"""


def live_options(parser: Any) -> None:
    parser.add_argument("file", metavar="FILE|EXAMPLE", help="a mechanism file, or the name of an example")
    parser.add_argument("--speed", type=float, default=1.0, metavar="X", help="seconds of the machine a second")
    parser.add_argument("--duration", type=float, metavar="S", help="seconds of the machine; default: until quit")
    parser.add_argument("--record", metavar="FILE", help="write a recording, such as mine.jdlive")
    parser.add_argument("--no-wait", action="store_true", help="frames one after the other, not by the clock")
    parser.add_argument("--integrator", metavar="NAME", help="of equal steps: rk4, generalized-alpha, ...")
    parser.add_argument("--step", type=float, metavar="S", help="default: found by a short run")
    parser.add_argument("--coordinates", metavar="NAME", help="@coordinates@")
    parser.add_argument("--quiet", action="store_true", help="no line a second")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="change a parameter; units may follow"
    )


def replay_options(parser: Any) -> None:
    many = {"action": "append", "default": []}
    parser.add_argument("file", metavar="RECORDING", help="a recording of a live machine, *.jdlive")
    parser.add_argument("-o", "--output", metavar="FILE", help="write .csv, .json, .nc or .h5; repeatable", **many)
    parser.add_argument("--animate", metavar="FILE", help="write the motion as .html, .gif or .mp4", **many)
    parser.add_argument("--every", type=float, default=1 / 60, metavar="S", help="output interval (default: 1/60 s)")
    parser.add_argument("--verify", action="store_true", help="exit code 1 if a state is not the same to the bit")


def studio_options(parser: Any) -> None:
    parser.add_argument("file", nargs="?", metavar="FILE|EXAMPLE", help="a mechanism file, or the name of an example")
    parser.add_argument("--port", type=int, metavar="N", help="default: 8642, or the next that is free")
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="who may reach it: default this computer"
    )
    parser.add_argument("--no-open", action="store_true", help="do not open the page in a browser")
