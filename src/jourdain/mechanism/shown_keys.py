"""Methods that take keys of a TypedDict show them: help, notebooks and completion list each by its name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Required, TypeVar, get_args, get_origin

F = TypeVar("F", bound=Callable[..., Any])


def keyed(keys: Any) -> Callable[[F], F]:
    """The same function, whose signature has the keys in place of `**keys`. Wrong keys are told later."""

    def made(function: F) -> F:
        signature = inspect.signature(function)
        plain = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        shown = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if name in keys.__required_keys__ else None,
                annotation=get_args(found)[0] if get_origin(found) is Required else found,
            )
            for name, found in keys.__annotations__.items()
            if name != "between" or len(plain) == 2  # points may stand alone
        ]
        function.__signature__ = signature.replace(parameters=[*plain, *shown])  # type: ignore[attr-defined]
        return function

    return made
