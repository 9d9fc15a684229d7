"""The commands and their options. Help teaches by example; a mistyped option is answered with the nearest one."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from typing import Any, NoReturn

from ..files import gallery
from . import codes
from .parser_derive import DERIVE_HELP, derive_options
from .parser_live import LIVE_HELP, REPLAY_HELP, STUDIO_HELP, live_options, replay_options, studio_options
from .parser_motion import INVERSE_HELP, KINEMATICS_HELP, inverse_options, motion_options
from .parser_types import TYPES_HELP, types_options

OVERVIEW = """\
Simulate mechanisms: bodies, joints, closed loops, described in a file.

  jourdain examples                            what there is to try
  jourdain run four_bar                        simulate an example, print a report
  jourdain run mine.yaml --animate mine.html   a file of your own, as a page to watch
  jourdain check mine.yaml                     freedoms, redundant equations, all faults
  jourdain kinematics mine.yaml --drive A      a joint through a turn: motion, loads, dead points
"""
RUN_HELP = """\
examples:
  jourdain run four_bar                              an example, or a file of your own
  jourdain run mine.yaml --duration 10 --every 0.01
  jourdain run mine.yaml --set k=300 --set "L=250 mm"
  jourdain run mine.yaml -o out.csv -o out.nc        tables; .json, .h5 too
  jourdain run mine.yaml --plot slider.x --plot A    channels, or the reaction of joint A
  jourdain run mine.yaml --animate out.html --trace coupler.P
  jourdain run mine.yaml --plot slider.x --against A.angle --units deg,mm --maxima
  jourdain run mine.yaml --recipe nacf --step 1e-3   another way of solving

exit codes: 0 done, 1 the run stopped early, 2 options or file are faulty,
3 a file could not be written, 130 interrupted (what was computed is kept)
"""
CHECK_HELP = """\
examples:
  jourdain check mine.yaml           all faults at once, with line and column; or the degrees of freedom
  jourdain check mine.yaml --json    the same for programs, faults as data
"""
ASSEMBLE_HELP = """\
examples:
  jourdain assemble mine.yaml                                as drawn: how far each body moves to close the joints
  jourdain assemble four_bar --target crank.angle=30deg      with a target that must be met
  jourdain assemble slider_crank --about slider.x=9          one that is met as nearly as possible
  jourdain assemble four_bar --target crank.angle=30deg --branch crossed -o crossed.yaml
  jourdain assemble four_bar --target crank.angle=30deg --all --draw branch.png
"""
COMPARE_HELP = """\
examples:
  jourdain compare pendulum --duration 2
  jourdain compare mine.yaml --integrators rk4,dop853 --steps 1e-2,1e-3 --plot work.png
  jourdain compare mine.yaml --treatments kkt --stabilisations projection,baumgarte,none --integrators rk4
"""
SENSITIVITY_HELP = """\
examples:
  jourdain sensitivity four_bar --by k --of coupler.x --duration 1
  jourdain sensitivity mine.yaml --by k,crank.mass --of slider.x,B.fx,energy.total -o out.csv
  jourdain sensitivity mine.yaml --by L --of slider.vx --analysis kinematics --duration 1
"""
STATICS_HELP = """\
examples:
  jourdain statics mine.yaml                     where it settles, what its joints bear
  jourdain statics mine.yaml --seek stable       leave unstable equilibria, downhill
  jourdain statics mine.yaml --at 0.5s --draw rest.png
"""
MODES_HELP = """\
examples:
  jourdain modes mine.yaml                       eigenfrequencies about the equilibrium
  jourdain modes mine.yaml --about 2s            along the motion, after two seconds of it
  jourdain modes mine.yaml --animate 1=first.html --plot 2=second.png
"""
CYCLE_HELP = """\
examples:
  jourdain cycle engine.yaml --joint O                         the steady cycle over 720 degrees of its tables
  jourdain cycle engine.yaml --joint O --fluctuation "1 %"     the flywheel that it needs
  jourdain cycle mine.yaml --period 0.5s --maxima              what repeats after half a second
"""
SWEEP_HELP = """\
examples:
  jourdain sweep mine.yaml --vary k=100:300:50 --channels slider.x       from, to, step
  jourdain sweep mine.yaml --vary k=100,200,400 --vary L=0.2:0.3:0.01    all combinations
  jourdain sweep mine.yaml --vary crank.mass=1:3:0.5 --end -o ends.csv --channels slider.x,slider.vx
  jourdain sweep mine.yaml --vary k=100:300:50 -o all.nc                 NetCDF over variants and time
  jourdain sweep mine.yaml --vary k=100:300 --vary crank.mass=1:3 --design latin:500 \\
      --collect "peak=max(A.load)" --into study                          a study that can be interrupted
"""
EXAMPLES_HELP = """\
examples:
  jourdain examples                         the list
  jourdain examples show four_bar           its file
  jourdain examples copy four_bar mine.yaml a file to change
  jourdain examples run four_bar            the same as: jourdain run four_bar
"""
PLOT_HELP = """\
examples:
  jourdain plot out.nc                             which channels there are
  jourdain plot out.nc slider.x slider.vx          over time, into out-plot.png
  jourdain plot out.csv slider.x --against crank.angle -o path.svg
  jourdain plot mine.yaml energy                   runs the file first
  jourdain plot study                              a study: its numbers over what varied
"""
REPORT_HELP = """\
examples:
  jourdain report mine.yaml                            into mine-report.html
  jourdain report four_bar -o four_bar.html --with kinematics,statics,modes
  jourdain report mine.yaml --set k=300 --trace coupler.P --units mm,deg
"""
DRAW_HELP = """\
examples:
  jourdain draw mine.yaml                          as it starts, into mine.png
  jourdain draw out.nc --at 0 --at 0.5 --at 1 -o poses.svg
"""
ANIMATE_HELP = """\
examples:
  jourdain animate mine.yaml                       runs the file, into mine.html
  jourdain animate out.nc -o out.mp4 --speed 0.25  four times slower
  jourdain animate out.json -o out.gif --trace coupler.P
"""


class Parser(argparse.ArgumentParser):
    """argparse that names the nearest option or command, and takes no abbreviations."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        settings |= {"allow_abbrev": False, "formatter_class": argparse.RawDescriptionHelpFormatter}
        super().__init__(*arguments, **settings)

    def format_help(self) -> str:
        """Names of choices are looked up only when somebody wants to read them."""
        text = super().format_help()
        if "@" not in text:
            return text
        for option, names in choice_names(short=True).items():
            text = text.replace(f"@{option}@", ", ".join(names))
        return text

    def error(self, message: str) -> NoReturn:
        known = [o for action in self._actions for o in action.option_strings if o.startswith("--")]
        wrong = re.findall(r"(?<=unrecognized arguments: )(--[\w-]+)", message)
        if not wrong and (choice := re.match(r"argument \S+: invalid choice: '([^']*)' \(choose from (.*)\)", message)):
            wrong, known = [choice[1]], [word.strip(" '") for word in choice[2].split(",")]
        close = difflib.get_close_matches(wrong[0], known, n=1, cutoff=0.5) if wrong else []
        hint = f" (did you mean '{close[0]}'?)" if close else ""
        if self.prog == "jourdain examples" and wrong and wrong[0] in gallery.example_names():
            hint = f" (did you mean 'jourdain examples show {wrong[0]}'?)"
        sys.stderr.write(f"{self.prog}: {message}{hint}\ntry: {self.prog} --help\n")
        raise SystemExit(codes.FAULTY)

    def parse_args(self, *arguments: Any, **settings: Any) -> Any:
        """Options that no command knows are told by the command, which knows its own."""
        found, rest = self.parse_known_args(*arguments, **settings)
        if rest:
            owner: Parser = getattr(found, "parser", self)
            owner.error(f"unrecognized arguments: {' '.join(rest)}")
        return found


def choice_names(short: bool = False) -> dict[str, list[str]]:
    """What can be chosen, by option; `short`: of coordinates that differ in little, one."""
    from ..choices import COORDINATES, INTEGRATORS, RECIPES, STABILISATIONS, TREATMENTS

    sets = {name: one for known in COORDINATES.values() for name, one in known.items()}
    return {
        "recipe": list(RECIPES),
        "coordinates": [name for name, one in sets.items() if one.shown or not short],
        "treatment": list(TREATMENTS),
        "stabilisation": list(STABILISATIONS),
        "integrator": sorted(INTEGRATORS, key=lambda name: INTEGRATORS[name].fixed),
    }


def build_parser() -> Parser:
    """The parser of all commands."""
    parser = Parser(prog="jourdain", description=OVERVIEW)
    parser.add_argument("--version", action="store_const", const="version", dest="command", help="print the version")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")

    def command(name: str, summary: str, more: str = "") -> Parser:
        made = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".", epilog=more)
        made.set_defaults(parser=made)
        return made

    _run_options(command("run", "simulate a mechanism file or an example", RUN_HELP))
    check = command("check", "look for faults; count freedoms and redundant equations", CHECK_HELP)
    _file(check)
    _set(check)
    check.add_argument("--json", action="store_true", help="print the result as JSON")
    _assemble_options(command("assemble", "close the joints at targets, on the branch wanted", ASSEMBLE_HELP))
    motion_options(command("kinematics", "move a joint through a range, or motions through time", KINEMATICS_HELP))
    inverse_options(command("inverse", "find the efforts and reactions of a prescribed motion", INVERSE_HELP))
    live_options(command("live", "run a machine by the clock, and take hold of it meanwhile", LIVE_HELP))
    replay_options(command("replay", "repeat a recording of a live machine, to the bit", REPLAY_HELP))
    studio_options(command("studio", "a machine on a page of the browser: pull, cut, change, scrub, save", STUDIO_HELP))
    _compare_options(command("compare", "solve in every way that applies, side by side", COMPARE_HELP))
    derive_options(command("derive", "write down the equations, checked against the solver", DERIVE_HELP))
    _sensitivity_options(command("sensitivity", "derivatives of channels by parameters", SENSITIVITY_HELP))
    _resting_options(command)
    _cycle_options(command("cycle", "find the steady cycle, and the inertia a joint needs", CYCLE_HELP))
    _sweep_options(command("sweep", "simulate with many values of parameters, on all cores", SWEEP_HELP))
    _examples_options(command("examples", "list, show, copy or run the examples", EXAMPLES_HELP))
    _picture_options(commands, command)
    _report_options(command("report", "one page for a colleague: drawing, motion, check, maxima, plots", REPORT_HELP))
    types_options(command("types", "what parts may be of, built in and of your own", TYPES_HELP))
    schema = command("schema", "print the JSON Schema of mechanism files, for editors")
    schema.add_argument("file", nargs="?", metavar="FILE", help="with the types of this file or library")
    completion = command("completion", "print a script that completes commands in a shell", COMPLETION_HELP)
    completion.add_argument("shell", choices=("bash", "zsh", "fish"))
    command("version", "print the version")
    return parser


COMPLETION_HELP = """\
examples:
  eval "$(jourdain completion bash)"                                 in ~/.bashrc
  eval "$(jourdain completion zsh)"                                  in ~/.zshrc
  jourdain completion fish > ~/.config/fish/completions/jourdain.fish
"""


def _file(parser: Parser) -> None:
    parser.add_argument("file", metavar="FILE|EXAMPLE", help="a mechanism file, or the name of an example")


def _set(parser: Parser) -> None:
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="change a parameter; units may follow"
    )


def _solving(parser: Parser) -> None:
    """Options that say how long and how to solve; what is left out is taken from the file, then by default."""
    group = parser.add_argument_group("solving")
    group.add_argument("--duration", metavar="TIME", help="seconds to simulate; units may follow: 500ms")
    group.add_argument("--every", metavar="TIME", help="output interval (default: a 200th of the duration)")
    group.add_argument("--step", metavar="TIME", help="step of methods with a fixed one")
    group.add_argument(
        "--rtol", type=float, metavar="NUMBER", help="relative tolerance of methods that find their steps"
    )
    group.add_argument("--atol", type=float, metavar="NUMBER", help="absolute tolerance of those")
    group.add_argument("--recipe", metavar="NAME", help="a named full set of choices: @recipe@")
    group.add_argument("--coordinates", metavar="NAME", help="@coordinates@")
    group.add_argument("--treatment", metavar="NAME", help="@treatment@")
    group.add_argument("--stabilisation", metavar="NAME", help="@stabilisation@")
    group.add_argument("--integrator", metavar="NAME", help="@integrator@")
    _set(parser)


def _report_options(parser: Parser) -> None:
    _file(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="where to: .html (default: NAME-report.html)")
    parser.add_argument("--with", dest="with_", metavar="A,B", help="kinematics, statics, modes: these too")
    parser.add_argument("--trace", action="append", default=[], metavar="BODY.POINT", help="draw the path of a point")
    _units(parser)
    _solving(parser)


def _run_options(parser: Parser) -> None:
    _file(parser)
    _solving(parser)
    parser.add_argument("--variant", type=int, metavar="NUMBER", help="of the study whose folder FILE is")
    group = parser.add_argument_group("systems of subsystems")
    group.add_argument("--coupling", metavar="NAME", help="extended, uzawa or explicit")
    group.add_argument("--macro-step", metavar="TIME", help="between macro points, or auto (the default)")
    group = parser.add_argument_group("results")
    group.add_argument(
        "-o", "--output", action="append", default=[], metavar="FILE", help="write .csv, .json, .nc or .h5; repeatable"
    )
    group.add_argument("--channels", metavar="A,B", help="write these channels only (default: all)")
    group.add_argument("--plot", action="append", default=[], metavar="CHANNEL", help="plot over time; repeatable")
    group.add_argument("--plot-to", metavar="FILE", help="where to (default: NAME-plot.png); .svg and .pdf too")
    group.add_argument("--against", metavar="CHANNEL", help="plot over this channel instead of time")
    group.add_argument("--path", action="append", default=[], metavar="BODY.POINT", help="plot the path of a point")
    group.add_argument("--path-to", metavar="FILE", help="where to (default: NAME-path.png)")
    group.add_argument("--maxima", action="store_true", help="print a table of extremes, means and RMS")
    _units(group)
    group.add_argument(
        "--animate", action="append", default=[], metavar="FILE", help="write the motion as .html, .gif or .mp4"
    )
    _moving(group)
    group.add_argument("--json", action="store_true", help="print the report as JSON")
    group.add_argument("--quiet", action="store_true", help="print nothing but what goes wrong")


def _moving(parser: Any) -> None:
    parser.add_argument("--fps", type=float, metavar="NUMBER", help="frames a second of an animation")
    parser.add_argument(
        "--speed",
        type=float,
        metavar="NUMBER",
        help="of an animation: 1 is true, 0.1 ten times slower; default: as seen best",
    )
    parser.add_argument("--trace", action="append", default=[], metavar="BODY.POINT", help="draw the path of a point")


def _assemble_options(parser: Parser) -> None:
    _file(parser)
    parser.add_argument(
        "--target",
        action="append",
        default=[],
        metavar="CHANNEL=VALUE",
        help="must be met; units may follow; repeatable",
    )
    parser.add_argument(
        "--about", action="append", default=[], metavar="CHANNEL=VALUE", help="met as nearly as possible; repeatable"
    )
    parser.add_argument("--branch", metavar="NAME", help="open, crossed, elbow up ...: one of those that --all lists")
    parser.add_argument("--all", action="store_true", help="every way to assemble it at the targets")
    parser.add_argument("--at", metavar="TIME", help="time at which motions are taken (default: 0)")
    _set(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="write the mechanism in this pose: .yaml or .json")
    parser.add_argument("--draw", metavar="FILE", help="draw it: .png, .svg or .pdf")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def _compare_options(parser: Parser) -> None:
    _file(parser)
    parser.add_argument("--duration", metavar="TIME", help="seconds to simulate")
    for name, words in (
        ("coordinates", "coordinate sets"),
        ("treatments", "treatments"),
        ("stabilisations", "stabilisations (default: each treatment's own)"),
        ("integrators", "integrators"),
        ("steps", "steps of methods with a fixed one, s"),
        ("tolerances", "tolerances of the others"),
    ):
        parser.add_argument(f"--{name}", metavar="A,B", help=f"only these {words}")
    _set(parser)
    parser.add_argument("--plot", metavar="FILE", help="draw error against time")
    parser.add_argument("--json", action="store_true", help="print the table as JSON")


def _sensitivity_options(parser: Parser) -> None:
    _file(parser)
    parser.add_argument(
        "--by", action="append", default=[], metavar="A,B", help="parameters of the file, or numbers: crank.mass"
    )
    parser.add_argument("--of", action="append", default=[], metavar="A,B", help="channels: slider.x, B.fx")
    parser.add_argument("--analysis", default="simulate", metavar="NAME", help="simulate, kinematics or statics")
    _solving(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="write all over time, as .csv")
    parser.add_argument("--json", action="store_true", help="print the table as JSON")


def _resting_options(command: Any) -> None:
    statics = command("statics", "find an equilibrium, its reactions and whether it is stable", STATICS_HELP)
    modes = command("modes", "find eigenfrequencies, damping and mode shapes", MODES_HELP)
    for made in (statics, modes):
        _file(made)
        made.add_argument("--at", metavar="TIME", help="motions and loads stand still as at this time (default: 0)")
        _set(made)
        made.add_argument("--json", action="store_true", help="print the result as JSON")
    statics.add_argument("--seek", choices=("downhill", "stable", "nearest"), default="downhill", help="which one")
    statics.add_argument("--draw", metavar="FILE", help="draw the equilibrium: .png, .svg or .pdf")
    modes.add_argument(
        "--about", default="equilibrium", metavar="WORD|TIME", help="equilibrium, start, or a time of the motion"
    )
    modes.add_argument(
        "--animate", action="append", default=[], metavar="N=FILE", help="write mode N as .html, .gif or .mp4"
    )
    modes.add_argument("--plot", action="append", default=[], metavar="N=FILE", help="draw mode N: .png, .svg or .pdf")


def _cycle_options(parser: Parser) -> None:
    _file(parser)
    parser.add_argument("--joint", metavar="JOINT", help="the joint that turns")
    parser.add_argument("--period", metavar="VALUE", help="a time, or an angle of the joint (default: of its tables)")
    parser.add_argument("--fluctuation", metavar="VALUE", help="largest less least speed, over the mean: '1 %%'")
    _set(parser)
    parser.add_argument("-o", "--output", action="append", default=[], metavar="FILE", help="write the cycle")
    parser.add_argument("--plot", action="append", default=[], metavar="CHANNEL", help="plot over time; repeatable")
    parser.add_argument("--plot-to", default="cycle.png", metavar="FILE", help="where to (default: cycle.png)")
    parser.add_argument("--maxima", action="store_true", help="print a table of extremes, means and RMS")
    _units(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def _units(parser: Any) -> None:
    parser.add_argument(
        "--units", metavar="A,B", help="of plots, tables and CSV: deg,mm,rpm (default: as the file says)"
    )


def _sweep_options(parser: Parser) -> None:
    _file(parser)
    parser.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="NAME=VALUES",
        help="FROM:TO:STEP or A,B,C, in SI or with units, of a parameter or a number such as crank.mass; repeatable",
    )
    _solving(parser)
    group = parser.add_argument_group("studies")
    group.add_argument("--design", metavar="DESIGN", help="grid (the default), list, latin:N or sobol:N")
    group.add_argument(
        "--collect",
        action="append",
        default=[],
        metavar="NAME=FORMULA",
        help="peak=max(A.load) and its like; repeatable",
    )
    group.add_argument("--into", metavar="FOLDER", help="keep everything there; the same command goes on after a stop")
    group.add_argument("--cluster", metavar="ADDRESS", help="of a Dask scheduler, tcp://host:8786, or local")
    group.add_argument("--workers", type=int, metavar="N", help="threads here, or processes of --cluster local")
    group.add_argument("--seed", type=int, metavar="N", help="of a random design (default: 0)")
    group.add_argument("--plot", metavar="FILE", help="a picture of what was collected")
    group = parser.add_argument_group("results")
    group.add_argument("--channels", metavar="A,B", help="keep these channels, and print them at the end of each run")
    group.add_argument("--end", action="store_true", help="keep the start and the end of each run only")
    group.add_argument(
        "-o", "--output", action="append", default=[], metavar="FILE", help="write .csv, .nc or .h5; repeatable"
    )
    group.add_argument("--json", action="store_true", help="print values, status and channels at the end as JSON")


def _examples_options(parser: Parser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("list", help="name and describe them (the default)")
    listing.set_defaults(parser=listing)
    parser.set_defaults(action="list")
    show = actions.add_parser("show", help="print the file of one")
    copy = actions.add_parser("copy", help="copy the file of one, to change it")
    run = actions.add_parser("run", help="simulate one; options as of jourdain run", epilog=RUN_HELP)
    for made in (show, copy):
        made.set_defaults(parser=made)
        made.add_argument("name", metavar="EXAMPLE")
    copy.add_argument("to", nargs="?", metavar="FILE", help="where to (default: here, under its own name)")
    copy.add_argument("--force", action="store_true", help="write over a file that exists")
    run.set_defaults(parser=run)
    _run_options(run)


def _picture_options(commands: Any, command: Any) -> None:
    source = "results (.csv, .json, .nc, .h5), or a mechanism file or example, which is run first"
    plot = command("plot", "plot channels of results", PLOT_HELP)
    plot.add_argument("file", metavar="RESULTS|FILE", help=source)
    plot.add_argument(
        "channel",
        nargs="*",
        metavar="CHANNEL",
        help="what to plot; energy or the name of a joint, a body or a point are short forms",
    )
    plot.add_argument("--against", metavar="CHANNEL", help="instead of time")
    _units(plot)
    plot.add_argument("--polar", action="store_true", help="take --against as an angle")
    draw = command("draw", "draw the mechanism", DRAW_HELP)
    draw.add_argument("file", metavar="RESULTS|FILE", help=source)
    draw.add_argument("--at", action="append", default=[], metavar="TIME", help="pose at this time; repeatable")
    draw.add_argument("--trace", action="append", default=[], metavar="BODY.POINT", help="draw the path of a point")
    animate = command("animate", "make the motion a page, a GIF or a film", ANIMATE_HELP)
    animate.add_argument("file", metavar="RESULTS|FILE", help=source)
    _moving(animate)
    kinds = ((plot, ".png, .svg or .pdf"), (draw, ".png, .svg or .pdf"), (animate, ".html, .gif or .mp4"))
    for made, suffixes in kinds:
        made.add_argument("-o", "--output", metavar="FILE", help=f"where to: {suffixes}")
        _solving(made)
