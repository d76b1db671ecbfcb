# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Read text with '$(name argument ...)' in it; arguments may nest and may be quoted."""

from __future__ import annotations

from collections.abc import Callable

from ..substitution import Substitution
from ..substitutions import (
    Command,
    EnvironmentVariable,
    FindExecutable,
    LaunchConfiguration,
    PythonExpression,
    TextSubstitution,
    ThisLaunchFile,
    ThisLaunchFileDir,
)

Argument = list[Substitution]
Factory = Callable[..., Substitution]

_factories: dict[str, Factory] = {}


def expose_substitution(name: str, factory: Factory) -> None:
    """Make '$(name ...)' mean factory(*arguments), each argument a list of substitutions."""
    _factories[name] = factory


expose_substitution("var", lambda name, *rest: LaunchConfiguration(name, default=_first(rest)))
expose_substitution(
    "env", lambda name, *rest: EnvironmentVariable(name, default_value=_first(rest))
)
expose_substitution("eval", lambda expression: PythonExpression(expression))
expose_substitution("dirname", ThisLaunchFileDir)
expose_substitution("filename", ThisLaunchFile)
expose_substitution("find-exec", lambda name: FindExecutable(name=name))
expose_substitution(
    "command", lambda command, *rest: Command(command, on_stderr=_first(rest) or "fail")
)


def _first(rest: tuple[Argument, ...]) -> Argument | None:
    return rest[0] if rest else None


def parse_substitution(text: str) -> list[Substitution]:
    """Return the text as substitutions; ValueError if it cannot be read."""
    substitutions, _ = _read(text, 0, stop="")
    return substitutions or [TextSubstitution(text="")]


def _read(text: str, position: int, stop: str) -> tuple[Argument, int]:
    """Read until one of the stop characters; return the parts and where reading ended."""
    parts: Argument = []
    plain = ""
    while position < len(text) and text[position] not in stop:
        if text.startswith("$(", position):
            if plain:
                parts.append(TextSubstitution(text=plain))
                plain = ""
            part, position = _read_call(text, position + 2)
            parts.append(part)
            continue
        if text[position] == "\\" and position + 1 < len(text):
            position += 1
        plain += text[position]
        position += 1
    if plain:
        parts.append(TextSubstitution(text=plain))
    return parts, position


def _read_call(text: str, position: int) -> tuple[Substitution, int]:
    """Read 'name argument ...)' and return the substitution and where the text goes on."""
    arguments: list[Argument] = []
    start = position
    while position < len(text) and text[position] != ")":
        if text[position].isspace():
            position += 1
        elif text[position] in "'\"":
            argument, position = _read(text, position + 1, stop=text[position])
            arguments.append(argument or [TextSubstitution(text="")])
            position += 1
        else:
            argument, position = _read(text, position, stop=" \t\n)")
            arguments.append(argument)
    if position >= len(text) or not arguments:
        raise ValueError(f"unfinished substitution in '{text[start - 2 :]}'")
    name = "".join(part.perform(None) for part in arguments[0])
    if name not in _factories:
        raise ValueError(f"unknown substitution '{name}' in '{text}'")
    try:
        return _factories[name](*arguments[1:]), position + 1
    except TypeError as error:
        raise ValueError(f"wrong arguments for substitution '{name}' in '{text}'") from error
