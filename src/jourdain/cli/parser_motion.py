"""Options of `jourdain kinematics` and `jourdain inverse`."""

from __future__ import annotations

from typing import Any

KINEMATICS_HELP = """\
examples:
  jourdain kinematics mine.yaml --drive A --from 0deg --to 720deg --points 721
  jourdain kinematics mine.yaml --drive A --plot slider.vx --plot C.transmission
  jourdain kinematics mine.yaml --drive A --speed "1500 rpm" --maxima -o out.csv
  jourdain kinematics mine.yaml --drive A --path coupler.P --polar B
  jourdain kinematics mine.yaml --drive bucket.T.x --from 1m --to 2m      a point along an axis
  jourdain kinematics mine.yaml --duration 2         by the motions of the file

exit codes: 0 done, 1 a limit of travel was met, 2 options or file are faulty,
3 a file could not be written
"""
INVERSE_HELP = """\
examples:
  jourdain inverse mine.yaml --drive A --speed "1500 rpm" --plot drive.torque --maxima
  jourdain inverse mine.yaml --duration 2 -o out.csv        by the motions of the file
  jourdain inverse mine.yaml --duration 2 --actuators A,B,C --weights A=1,B=4,C=4
"""


def motion_options(parser: Any) -> None:
    """What both commands have in common."""
    parser.add_argument("file", metavar="FILE|EXAMPLE", help="a mechanism file, or the name of an example")
    group = parser.add_argument_group("motion")
    group.add_argument(
        "--drive", metavar="JOINT", help="a joint with an angle or a displacement, a motion, or a coordinate of a point"
    )
    group.add_argument("--from", dest="from_", metavar="VALUE", help="where it starts (default: as drawn): 0deg, 25mm")
    group.add_argument("--to", metavar="VALUE", help="where it ends (default: one turn on)")
    group.add_argument("--speed", metavar="VALUE", help="'1500 rpm' (default: as its own motion, else 1 rad/s)")
    group.add_argument("--points", type=int, metavar="NUMBER", help="samples (default: 361)")
    group.add_argument("--duration", metavar="TIME", help="without --drive: seconds of the file's own motions")
    group.add_argument("--every", metavar="TIME", help="without --drive: output interval")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="change a parameter; units may follow"
    )
    _results(parser.add_argument_group("results"))


def _results(group: Any) -> None:
    many = {"action": "append", "default": []}
    group.add_argument("-o", "--output", metavar="FILE", help="write .csv, .json, .nc or .h5; repeatable", **many)
    group.add_argument("--channels", metavar="A,B", help="write these channels only (default: all)")
    group.add_argument("--plot", metavar="CHANNEL", help="plot over the driver, or over time; repeatable", **many)
    group.add_argument("--plot-to", metavar="FILE", help="where to (default: NAME-plot.png); .svg and .pdf too")
    group.add_argument("--against", metavar="CHANNEL", help="plot over this channel instead")
    group.add_argument("--path", metavar="BODY.POINT", help="plot the path of a point; repeatable", **many)
    group.add_argument("--path-to", metavar="FILE", help="where to (default: NAME-path.png)")
    group.add_argument("--polar", metavar="JOINT", help="plot the load of a joint by direction; repeatable", **many)
    group.add_argument("--polar-to", metavar="FILE", help="where to (default: NAME-polar.png)")
    group.add_argument("--animate", metavar="FILE", help="write the motion as .html, .gif or .mp4", **many)
    group.add_argument("--fps", type=float, metavar="NUMBER", help="frames a second of an animation")
    group.add_argument(
        "--film-speed", type=float, metavar="NUMBER", help="of an animation: 1 is true; default: as seen best"
    )
    group.add_argument("--trace", metavar="BODY.POINT", help="draw the path of a point in the animation", **many)
    group.add_argument("--maxima", action="store_true", help="print a table of extremes, means and RMS")
    group.add_argument("--json", action="store_true", help="print the report as JSON")
    group.add_argument("--quiet", action="store_true", help="print nothing but what goes wrong")


def inverse_options(parser: Any) -> None:
    motion_options(parser)
    group = parser.add_argument_group("actuators")
    group.add_argument("--actuators", metavar="A,B", help="joints that make the motion (default: the motions do)")
    group.add_argument("--weights", metavar="A=1,B=4", help="how dear each effort is, where actuators share")
