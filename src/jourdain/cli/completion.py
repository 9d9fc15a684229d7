"""Scripts that complete commands, options, names of examples and files, made from the parser itself."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from ..files import gallery
from .parser import Parser, build_parser, choice_names

TAKES_EXAMPLES = (
    *("run", "check", "assemble", "kinematics", "inverse", "statics", "modes", "sensitivity", "sweep"),
    *("compare", "plot", "draw", "animate", "report"),
)


def script(shell: str) -> str:
    """The script for bash, zsh or fish."""
    if shell == "fish":
        return "\n".join(_fish()) + "\n"
    head = "autoload -U +X bashcompinit && bashcompinit\n" if shell == "zsh" else ""
    return head + _bash()


def commands() -> dict[str, tuple[str, Parser]]:
    """Every command with its summary and parser."""
    parser = build_parser()
    group = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    summaries = {action.dest: action.help or "" for action in group._choices_actions}
    return {name: (summaries.get(name, ""), made) for name, made in group.choices.items()}


def _options(parser: Parser) -> list[str]:
    return [option for action in parser._actions for option in action.option_strings if option.startswith("--")]


def _values() -> dict[str, str]:
    """Options whose values are among a few words."""
    words = {option: " ".join(names) for option, names in choice_names().items()}
    several = {f"{option}s": words[option] for option in ("treatment", "stabilisation", "integrator")}
    return {f"--{option}": text for option, text in (words | several).items()}


def _words(name: str, parser: Parser) -> str:
    words = _options(parser)
    if name in TAKES_EXAMPLES:
        words += gallery.example_names()
    if name == "examples":
        words += ["list", "show", "copy", "run", *gallery.example_names()]
    if name == "types":
        from ..files.types.described import built_in
        from ..files.types.registry import shipped

        words += [*shipped(), *built_in()]
    if name == "completion":
        words += ["bash", "zsh", "fish"]
    return " ".join(words)


def _bash() -> str:
    cases = "\n".join(f'    {name}) words="{_words(name, parser)}" ;;' for name, (_, parser) in commands().items())
    values = "\n".join(f'    {option}) words="{words}" ;;' for option, words in _values().items())
    return f"""\
_jourdain() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{" ".join(commands())} --help --version" -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{cases}
  esac
  case "$before" in
{values}
    -o|--output|--animate|--plot-to) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
}}
complete -o filenames -F _jourdain jourdain
"""


def _fish() -> Iterator[str]:
    names = " ".join(commands())
    chosen = _values()
    for name, (summary, parser) in commands().items():
        text = summary.replace("'", "")
        yield f"complete -c jourdain -n 'not __fish_seen_subcommand_from {names}' -a {name} -d '{text}'"
        here = f"complete -c jourdain -n '__fish_seen_subcommand_from {name}'"
        for option in _options(parser):
            values = f" -x -a '{chosen[option]}'" if option in chosen else ""
            yield f"{here} -l {option[2:]}{values}"
        extra = [word for word in _words(name, parser).split() if not word.startswith("--")]
        if extra:
            yield f"{here} -a '{' '.join(extra)}'"
