# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The configuration as a flat table of named values, as ROS parameters and YAML files have it.

Every field of PolicyConfig goes by its own name; those of `allowed` and `expert` and the intervals
of the families follow a dot. An interval of 0 means never; an empty `allowed.suites` means all.
Lists may hold empty texts, which count for nothing: not every tool can write an empty list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, fields, replace
from enum import StrEnum
from typing import Any

from pqc_policy.policy.config import Allowed, ConfigFault, ExpertConfig, PolicyConfig
from pqc_policy.policy.suites import AEADS, KemFamily, SignatureFamily, find_suite

Value = bool | int | float | str | list[str]
_PARTS = ("allowed", "expert", "rekey_interval_s")
_LONGEST_INTERVAL_S = 86400.0


@dataclass(frozen=True)
class Setting:
    """What a parameter is, with its range if it is a number."""

    default: Value
    description: str
    low: float | None = None
    high: float | None = None


def settings() -> dict[str, Setting]:
    """Return every parameter, described."""
    table = defaults()

    def described(name: str, item: Field[Any]) -> Setting:
        says = item.metadata
        return Setting(table[name], says["says"], says["low"], says["high"])

    named = {item.name: item for item in fields(PolicyConfig) if item.name not in _PARTS}
    for prefix, part in (("allowed", Allowed), ("expert", ExpertConfig)):
        named |= {f"{prefix}.{item.name}": item for item in fields(part)}
    all_settings = {name: described(name, item) for name, item in named.items()}
    (intervals,) = (item for item in fields(PolicyConfig) if item.name == "rekey_interval_s")
    for family in KemFamily:
        name = f"rekey_interval_s.{family}"
        says = intervals.metadata["says"].format(family)
        all_settings[name] = Setting(table[name], says, 0, _LONGEST_INTERVAL_S)
    return all_settings


def defaults() -> dict[str, Value]:
    """Return every parameter with its default."""
    return to_parameters(PolicyConfig())


def to_parameters(config: PolicyConfig) -> dict[str, Value]:
    """Return a configuration as a flat table."""
    table: dict[str, Value] = {
        item.name: _plain(getattr(config, item.name))
        for item in fields(config)
        if item.name not in _PARTS
    }
    for part in (config.allowed, config.expert):
        prefix = "allowed" if part is config.allowed else "expert"
        for item in fields(part):
            table[f"{prefix}.{item.name}"] = _plain(getattr(part, item.name))
    for family in KemFamily:
        table[f"rekey_interval_s.{family}"] = config.rekey_interval_s.get(family) or 0.0
    return table


def from_parameters(values: Mapping[str, Any], base: PolicyConfig | None = None) -> PolicyConfig:
    """Return the configuration that a table describes; what it leaves out is as in base.

    Raises ConfigFault, in one sentence, for an unknown name, a wrong type or a value that makes no
    sense.
    """
    base = base if base is not None else PolicyConfig()
    table = to_parameters(base)
    for name, value in values.items():
        if name not in table:
            raise ConfigFault(f"There is no parameter {name}.")
        table[name] = _like(name, table[name], value)
    own = {name: value for name, value in table.items() if "." not in name}
    own["required_inputs"] = tuple(own["required_inputs"])  # type: ignore[arg-type,assignment]
    config = replace(
        base,
        **own,  # type: ignore[arg-type]
        allowed=_allowed(_part(table, "allowed")),
        expert=replace(base.expert, **_part(table, "expert")),
        rekey_interval_s={
            KemFamily(family): interval_s or None
            for family, interval_s in _part(table, "rekey_interval_s").items()
        },
    )
    for name, value in values.items():
        _check_range(name, value)
    return config


def _check_range(name: str, value: Any) -> None:
    setting = _SETTINGS[name]
    if setting.low is None or setting.high is None:
        return
    if not setting.low <= value <= setting.high:
        raise ConfigFault(
            f"{name} is {value}, but must be from {setting.low:g} to {setting.high:g}."
        )


def _part(table: Mapping[str, Value], prefix: str) -> dict[str, Any]:
    start = f"{prefix}."
    return {n.removeprefix(start): v for n, v in table.items() if n.startswith(start)}


def _plain(value: Any) -> Value:
    if value is None:
        return []
    if isinstance(value, frozenset):
        return sorted(map(str, value))
    return list(value) if isinstance(value, tuple) else value


def _like(name: str, default: Value, value: Any) -> Value:
    """Return a value in the type of its default."""
    if isinstance(default, list):
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise ConfigFault(f"{name} is {value!r}, but must be a list of texts.")
        if not all(isinstance(item, str) for item in value):
            raise ConfigFault(f"{name} is {value!r}, but must be a list of texts.")
        return [item for item in value if item]
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not type(default):
        kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
        raise ConfigFault(f"{name} is {value!r}, but must be {kinds[type(default)]}.")
    return value  # type: ignore[no-any-return]


def _allowed(values: Mapping[str, Any]) -> Allowed:
    suites = _known("suites", values["suites"], lambda suite: find_suite(suite) is not None)
    return Allowed(
        min_level=values["min_level"],
        families=frozenset(map(KemFamily, _members("families", values["families"], KemFamily))),
        signatures=frozenset(
            map(SignatureFamily, _members("signatures", values["signatures"], SignatureFamily))
        ),
        aeads=_known("aeads", values["aeads"], AEADS.__contains__),
        experimental=values["experimental"],
        suites=suites or None,
    )


def _members(name: str, values: list[str], kind: type[StrEnum]) -> frozenset[str]:
    return _known(name, values, [str(member) for member in kind].__contains__)


def _known(name: str, values: list[str], there_is: Any) -> frozenset[str]:
    for value in values:
        if not there_is(value):
            raise ConfigFault(f"allowed.{name} names {value!r}, which does not exist.")
    return frozenset(values)


_SETTINGS = settings()
