# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters, declared at the dataclass fields that use them, as a flat table of names and values.

A settings class is a frozen dataclass. A field made by `parameter()` is one parameter; a field made
by `group()` holds another settings class, whose parameters get a prefix. ROS parameters and YAML
files have the flat form: an empty text in a list is ignored, since ROS has no empty list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

from pqc_policy.shown_text import Fault

Value = bool | int | float | str | list[str]
T = TypeVar("T")

# Named as ROS names them.
_TYPES = {bool: "bool", int: "int", float: "double", str: "string", list: "string_array"}
EXPECTED = {
    "bool": "true or false",
    "int": "a whole number",
    "double": "a number",
    "string": "a text",
    "string_array": "a list of texts",
}
_LISTED_CHOICES = 10  # longer lists of choices are not spelt out
_PARAMETER, _GROUP = "parameter", "group"


class ParameterFault(Fault):
    """A parameter that can't be used; the message is one sentence."""


class Unavailable(ParameterFault):
    """A parameter whose value is good, but whose object is not there now, such as a busy port."""


@dataclass(frozen=True)
class Parameter:
    """One parameter in its flat form."""

    name: str
    default: Value
    description: str
    unit: str = ""
    low: float | None = None  # inclusive, as is high
    high: float | None = None
    choices: tuple[Any, ...] = ()  # of the value, or of each value of a list; empty: any
    section: str = ""  # heading in parameter files
    live: bool = True  # can be changed while the node runs
    canonical: Callable[[str], str] = str  # the choice that a text means

    @property
    def type(self) -> str:
        """Return bool, int, double, string or string_array."""
        return _TYPES[type(self.default)]

    @property
    def constraint(self) -> str:
        """Return the range or the choices in words; empty if any value of the type is valid."""
        if self.choices:
            if len(self.choices) > _LISTED_CHOICES:
                return "one that exists"
            one_of = "any of" if self.type == "string_array" else "one of"
            return f"{one_of} {', '.join(map(str, self.choices))}"
        if self.low is None or self.high is None:
            return ""
        return f"from {self.low:.12g} to {self.high:.12g}"

    def checked(self, value: Any) -> Value:
        """Return a value in the parameter's type; raises ParameterFault for one out of range."""
        value = self._converted(value)
        if isinstance(value, float) and not isfinite(value):
            raise ParameterFault(f"{self.name} is {value}, but must be a finite number.")
        if isinstance(value, list):
            value = [self.canonical(item) for item in value]
            for item in value:
                if self.choices and item not in self.choices:
                    raise ParameterFault(f"{self.name} names {item!r}, which does not exist.")
        elif self.choices:
            value = self.canonical(value) if isinstance(value, str) else value
            if value not in self.choices:
                raise ParameterFault(f"{self.name} is {value!r}, but must be {self.constraint}.")
        elif (self.low is not None and value < self.low) or (  # type: ignore[operator]
            self.high is not None and value > self.high  # type: ignore[operator]
        ):
            raise ParameterFault(f"{self.name} is {value}, but must be {self.constraint}.")
        return value

    def _converted(self, value: Any) -> Value:
        kind = type(self.default)
        if kind is list and not isinstance(value, str | bytes) and isinstance(value, Iterable):
            items = list(value)
            if all(isinstance(item, str) for item in items):
                return [item for item in items if item]
        elif type(value) is kind:
            return value  # type: ignore[no-any-return]
        elif kind is float and type(value) is int:
            return float(value)
        expected = EXPECTED[self.type]
        if isinstance(value, str) and kind in (bool, int, float) and _is_written(value, kind):
            raise ParameterFault(
                f"{self.name} is the text {value!r}, but must be {expected}: remove the quotes."
            )
        raise ParameterFault(f"{self.name} is {value!r}, but must be {expected}.")


def parameter(
    default: Any,
    description: str,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    *,
    choices: tuple[Any, ...] = (),
    section: str = "",
    live: bool = True,
    name: str = "",
    canonical: Callable[[str], str] = str,
) -> Any:
    """Return a dataclass field that is a parameter.

    Its name is the field's unless given, its section that of the parameter before unless given.
    The field may be a frozenset or tuple of texts (a list of texts in the flat form), or a Path.
    """
    flat = _flat(default)
    own = Parameter(name, flat, description, unit, low, high, choices, section, live, canonical)
    return field(default=default, metadata={_PARAMETER: own})


def group(kind: type, prefix: str = "") -> Any:
    """Return a dataclass field that holds a settings class; `prefix` is that of its parameters."""
    return field(default=kind(), metadata={_GROUP: prefix})


def table(settings: type, prefix: str = "") -> tuple[Parameter, ...]:
    found: list[Parameter] = []
    for item in fields(settings):
        if _PARAMETER in item.metadata:
            own = item.metadata[_PARAMETER]
            section = own.section or (found[-1].section if found else "")
            found.append(replace(own, name=prefix + (own.name or item.name), section=section))
        elif _GROUP in item.metadata:
            found += table(type(item.default), prefix + item.metadata[_GROUP])
    return tuple(found)


def to_values(settings: Any) -> dict[str, Value]:
    return dict(_values(settings, ""))


def _values(settings: Any, prefix: str) -> Iterator[tuple[str, Value]]:
    for item in fields(settings):
        value = getattr(settings, item.name)
        if _PARAMETER in item.metadata:
            yield prefix + (item.metadata[_PARAMETER].name or item.name), _flat(value)
        elif _GROUP in item.metadata:
            yield from _values(value, prefix + item.metadata[_GROUP])


def check(settings: Any) -> None:
    """Raise ParameterFault for the first value of a settings object that is out of its range."""
    values = to_values(settings)
    for entry in table(type(settings)):
        entry.checked(values[entry.name])


def from_values(kind: type[T], values: Mapping[str, Any]) -> T:
    """Return the settings object that flat values describe; the others have their defaults.

    Raises ParameterFault for an unknown name, a wrong type or a value out of its range.
    """
    entries = {entry.name: entry for entry in table(kind)}
    checked = {}
    for name, value in values.items():
        if name not in entries:
            raise ParameterFault(unknown(name, entries))
        checked[name] = entries[name].checked(value)
    return _made(kind, checked, "")


def unknown(name: str, names: Iterable[str]) -> str:
    """Return the sentence for a parameter that is not among the given ones."""
    near = get_close_matches(name, names, n=1)
    return f"There is no parameter {name}{f'; did you mean {near[0]}?' if near else '.'}"


def _made(kind: type[T], values: Mapping[str, Value], prefix: str) -> T:
    arguments: dict[str, Any] = {}
    for item in fields(kind):  # type: ignore[arg-type]
        if _PARAMETER in item.metadata:
            own = item.metadata[_PARAMETER]
            name = prefix + (own.name or item.name)
            if name in values:
                arguments[item.name] = _rich(item.default, own.choices, values[name])
        elif _GROUP in item.metadata:
            inner = prefix + item.metadata[_GROUP]
            arguments[item.name] = _made(type(item.default), values, inner)
    return kind(**arguments)


def _is_written(text: str, kind: type) -> bool:
    """Return whether a text is how YAML writes a value of a kind."""
    if kind is bool:
        return text.lower() in ("true", "false")
    with suppress(ValueError):
        kind(text)
        return True
    return False


def _flat(value: Any) -> Value:
    if isinstance(value, frozenset):
        return sorted(map(str, value))
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, Path) else value


def _rich(default: Any, choices: tuple[Any, ...], value: Any) -> Any:
    if isinstance(default, frozenset):
        # Members of an enumeration come back as such.
        return frozenset(choice for choice in choices if choice in value)
    if isinstance(default, tuple):
        return tuple(value)
    return Path(value) if isinstance(default, Path) else value
