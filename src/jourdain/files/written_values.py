"""Values as text, the way a person writes them: one line in brackets while that is short, else a key a line."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import yaml

from .nodes import LOADER, plain_scalar

WIDTH = 100  # letters of a value in one line
_SAFE = re.compile(r"[\w.+\-*/^()°²³·<>=|~@$%;?!&' ]+")


def in_one_line(value: Any, as_json: bool = False) -> str:
    """A value in brackets."""
    if isinstance(value, Mapping):
        inside = (f"{_text(str(key), as_json)}: {in_one_line(item, as_json)}" for key, item in value.items())
        return "{" + ", ".join(inside) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(in_one_line(item, as_json) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int | float):
        return _number(value)
    return _text(str(value), as_json)


def _number(value: float) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(float(value)) if isinstance(value, float) else str(int(value))


def _text(text: str, as_json: bool) -> str:
    """A text as it is, if nobody can take it for something else; else in quotes."""
    return text if not as_json and _is_plain(text) else json.dumps(text, ensure_ascii=False)


def _is_plain(text: str) -> bool:
    if not _SAFE.fullmatch(text) or text != text.strip() or not isinstance(plain_scalar(text), str):
        return False
    try:
        events = list(yaml.parse(f"[{text}]", Loader=LOADER))
    except yaml.YAMLError:
        return False
    scalars = [event for event in events if isinstance(event, yaml.ScalarEvent)]
    plainly = len(events) == 7 and len(scalars) == 1  # of stream, document and list, and what is inside
    return plainly and not scalars[0].style and scalars[0].value == text and scalars[0].tag is None


def scalar(value: Any, as_json: bool = False) -> str:
    """A value that stands alone behind its key. A text is what a file has there: `3 kg`, `2*L`."""
    text = value if isinstance(value, str) and value == value.strip() and value and not as_json else "a"
    if not isinstance(plain_scalar(text), str):
        return text  # a number, written as one
    return in_one_line(value, as_json)


def entry(key: str, value: Any, indent: int, line_end: str) -> str:
    """`key: value` without the first indentation; in several lines where one would be too long."""
    one = f"{_text(key, False)}: {in_one_line(value)}"
    if len(one) + indent <= WIDTH or not isinstance(value, Mapping) or not value:
        return one
    inner = indent + 2
    lines = [" " * inner + entry(str(name), item, inner, line_end) for name, item in value.items()]
    return line_end.join([f"{_text(key, False)}:", *lines])
