"""Text to a tree of nodes that know their line and column.

YAML with the scalars of YAML 1.2 (`1e3` is a number, `no` is text); JSON is read the same way, being YAML too. The
parser's events are taken one by one, so that a file that nests too deeply or explodes by aliases is refused where it
begins to, not after it filled the memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from ..mechanism.fault import Fault, Mark

MAX_BYTES = 8_000_000
MAX_DEPTH = 30
MAX_NODES = 500_000  # aliases counted as often as they are used

_LINE_ENDS = re.compile("\r\n|[\r\n\x85\u2028\u2029]")  # that YAML counts
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_OCTAL = re.compile(r"0o[0-7]+\Z")
_HEX = re.compile(r"0x[0-9a-fA-F]+\Z")
_REAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"([-+]?)\.(inf|Inf|INF)\Z|\.(nan|NaN|NAN)\Z")
_WORDS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NOTHING = ("", "~", "null", "Null", "NULL")
# libyaml's parser where PyYAML has it: ten times as fast, and the same events.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


_NO_KEYS: dict[str, Mark] = {}
_NO_KEYS_TWICE: list[tuple[str, Mark]] = []
_NOTHING_TORN: list[str] = []


class UnreadableError(Exception):
    """Text that is no YAML or that goes beyond a limit: nothing after it can be read."""

    def __init__(self, mark: Mark, words: str) -> None:
        self.fault = Fault("", "", words, mark=mark)
        super().__init__(f"{mark}: {words}")


class Node:
    """A value as written: None, bool, int, float, str, a list of nodes, or a dict of nodes by key."""

    __slots__ = ("closed", "keys", "mark", "torn", "twice", "value", "weight")

    def __init__(self, value: Any, mark: Mark, closed: bool = True) -> None:
        self.value = value
        self.mark = mark
        self.weight = 1
        self.closed = closed  # an alias must not name what it stands in
        mapping = isinstance(value, dict)
        self.keys: dict[str, Mark] = {} if mapping else _NO_KEYS  # where each key of a mapping stands
        self.twice: list[tuple[str, Mark]] = [] if mapping else _NO_KEYS_TWICE  # keys written again
        self.torn: list[str] = (
            [] if mapping else _NOTHING_TORN
        )  # whose formulas a comma ended, and are whole again here

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    def __getitem__(self, key: str) -> Node:
        found: Node = self.value[key]
        return found

    def items(self) -> Iterator[tuple[str, Node]]:
        yield from self.value.items()

    def plain(self) -> Any:
        """The value as Python has it, for messages."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        return [node.plain() for node in self.value] if isinstance(self.value, list) else self.value


def parse(text: str, path: str) -> Node:
    """The root of a file. Raises UnreadableError."""
    if len(text) > MAX_BYTES:
        raise UnreadableError(
            Mark(path, 1, 1), f"the file has {len(text)} characters; expected at most {MAX_BYTES} (8 MB)"
        )
    if path.endswith(".json"):
        text = text.replace("\t", " ")  # JSON may be indented by tabs, YAML not
    try:
        return _Builder(path).build(text)
    except yaml.MarkedYAMLError as error:
        place = error.problem_mark or error.context_mark
        words = " ".join(str(part) for part in (error.context, error.problem) if part)
        line, column = (place.line + 1, place.column + 1) if place is not None else (1, 1)
        if "\t" in "".join(_LINE_ENDS.split(text)[line - 1 : line])[:column]:
            words += "; indent by spaces, not by tabs"
        else:
            words += next((f"; {hint}" for problem, hint in _HINTS if problem in words), "")
        raise UnreadableError(Mark(path, line, column), f"not readable as YAML: {words}") from None
    except yaml.YAMLError as error:  # a character that no YAML may hold
        raise UnreadableError(Mark(path, 1, 1), f"not readable as YAML: {' '.join(str(error).split())}") from None


# What usually lies behind a sentence of the YAML reader.
_HINTS = (
    ("mapping values are not allowed", "look at the indentation of this line and the one before"),
    ("could not find expected ':'", "is there a colon missing in the line before, or a quote that is not closed?"),
    ("did not find expected ',' or", "is there a comma missing, or a bracket that is not closed?"),
    ("expected", "look at the indentation of this line and the one before"),
)


class _Builder:
    """Puts events together to nodes with a stack of its own: no recursion that a file could drive deep."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.total = 0
        self.anchors: dict[str, Node] = {}

    def build(self, text: str) -> Node:
        root: Node | None = None
        stack: list[Node] = []
        pending: list[tuple[str, Mark] | None] = []  # the key that waits for its value, of each open mapping
        torn: list[_Torn | None] = []  # of each open mapping between braces
        for event in yaml.parse(text, Loader=LOADER):
            kind = type(event)
            if kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                node = stack.pop()
                pending.pop()
                torn.pop()
                node.closed = True
                if stack:
                    stack[-1].weight += node.weight
                continue
            if kind is yaml.DocumentStartEvent and root is not None:
                raise UnreadableError(self._mark(event), "a second document begins here; expected one mechanism a file")
            if not isinstance(event, yaml.NodeEvent):
                continue
            node = self._node(event, kind)
            if root is None:
                root = node
            if stack:
                self._attach(stack[-1], node, pending, torn[-1])
            if isinstance(event, yaml.CollectionStartEvent):
                if len(stack) >= MAX_DEPTH:
                    raise UnreadableError(node.mark, f"nested more than {MAX_DEPTH} deep")
                stack.append(node)
                pending.append(None)
                torn.append(_Torn(node) if isinstance(node.value, dict) and event.flow_style else None)
        return root or Node(None, Mark(self.path, 1, 1))

    def _mark(self, event: Any) -> Mark:
        place = event.start_mark
        return Mark(self.path, place.line + 1, place.column + 1)

    def _node(self, event: Any, kind: type) -> Node:
        mark = self._mark(event)
        if kind is yaml.AliasEvent:
            return self._named(event.anchor, mark)
        self._count(1, mark)
        if event.tag is not None and event.tag not in ("!", "?"):
            raise UnreadableError(mark, f"tag '{event.tag}' has no meaning here; write the value alone")
        if kind is yaml.ScalarEvent:
            node = Node(event.value if event.style else plain_scalar(event.value), mark)
        else:
            node = Node({} if kind is yaml.MappingStartEvent else [], mark, closed=False)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def _named(self, anchor: str, mark: Mark) -> Node:
        node = self.anchors.get(anchor)
        if node is None:
            raise UnreadableError(mark, f"alias '*{anchor}' names no anchor above it")
        if not node.closed:
            raise UnreadableError(mark, f"alias '*{anchor}' names what it stands in")
        self._count(node.weight, mark)
        return node

    def _count(self, nodes: int, mark: Mark) -> None:
        self.total += nodes
        if self.total > MAX_NODES:
            raise UnreadableError(mark, f"more than {MAX_NODES} values, aliases counted; no mechanism is that large")

    def _attach(self, owner: Node, node: Node, pending: list[tuple[str, Mark] | None], torn: _Torn | None) -> None:
        owner.weight += node.weight if node.closed else 0
        if isinstance(owner.value, list):
            owner.value.append(node)
            return
        waiting = pending[-1]
        if waiting is None:
            if node.value is None or isinstance(node.value, dict | list):
                raise UnreadableError(node.mark, "expected a name before the colon")
            pending[-1] = (_key(node.value), node.mark)
            return
        name, mark = waiting
        pending[-1] = None
        if name in owner.value:
            owner.twice.append((name, mark))
        else:
            owner.value[name] = node
            owner.keys[name] = mark
        if torn is not None:
            torn.take(name, node)


class _Torn:
    """`{speed: max(t, 1, 2)}` is three keys to YAML: what follows an open bracket is put back where it belongs."""

    def __init__(self, owner: Node) -> None:
        self.owner, self.name, self.text = owner, "", ""
        self.rest: list[str] = []

    def take(self, name: str, node: Node) -> None:
        if self.text and node.value is None:
            self.text += f", {name}"
            self.rest.append(name)
            if self.text.count("(") <= self.text.count(")"):
                self._mend()
            return
        text = node.value if isinstance(node.value, str) and name in self.owner.value else ""
        self.name, self.text, self.rest = name, text if text.count("(") > text.count(")") else "", []

    def _mend(self) -> None:
        owner = self.owner
        again = [k for k, (_, mark) in enumerate(owner.twice) if not _before(mark, owner.keys[self.name])]
        for k in reversed(again):
            del owner.twice[k]
        for name in self.rest:
            if name in owner.value and not _before(owner.keys[name], owner.keys[self.name]):
                del owner.value[name], owner.keys[name]
        owner.value[self.name] = Node(self.text, owner[self.name].mark)
        owner.torn.append(self.name)
        self.text, self.rest = "", []


def _before(one: Mark, other: Mark) -> bool:
    return (one.line, one.column) < (other.line, other.column)


def _key(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def plain_scalar(text: str) -> Any:
    """A plain scalar as the core schema of YAML 1.2 reads it."""
    if text in _NOTHING:
        return None
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INTEGER.match(text):
        return int(text) if len(text) < 300 else float(text)
    if _REAL.match(text):
        return float(text)
    if _HEX.match(text) or _OCTAL.match(text):
        return int(text, 0) if len(text) < 300 else text
    found = _NOT_FINITE.match(text)
    if found is None:
        return text
    return float("nan") if found[3] else float(f"{found[1]}inf")
