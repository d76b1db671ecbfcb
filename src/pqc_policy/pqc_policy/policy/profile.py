# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The predicted costs of the suites, from a file with measurements of one machine.

A profile is JSON or YAML with format 1: `name`, `source`, `fixed_ms`, the times of every KEM and
signature, and under `suites` measurements of whole suites, which take precedence over the sum of
the parts. An interruption is the time for which a switch stops the data; where it was not measured,
it is the larger of sum and measured handshake, as if the old keys were not used meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from math import isfinite
from pathlib import Path
from typing import Any

import yaml

from pqc_policy.parameters import ParameterFault
from pqc_policy.policy.suites import KEMS, SIGNATURES, SUITES, Suite, find_suite

FORMAT = 1
SHIPPED = "raspberry_pi"
_KEM_FIELDS = ("keygen_ms", "encapsulate_ms", "decapsulate_ms")
_SIGNATURE_FIELDS = ("sign_ms", "verify_ms")
_SUITE_FIELDS = ("handshake_ms", "interruption_ms", "power_w")


class ProfileFault(ParameterFault):
    """A profile that can't be used; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The predicted costs of switching to a suite and of using it."""

    handshake_s: float
    interruption_s: float
    power_w: float | None  # of the computer; None: not measured


@dataclass(frozen=True)
class Profile:
    """Predicted costs of every suite."""

    name: str
    source: str
    costs: Mapping[str, Cost]

    def cost(self, suite: Suite) -> Cost:
        """Return the predicted cost of a suite."""
        return self.costs[suite.id]


def _number(where: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ProfileFault(f"The profile's {where} is {value!r}, but must be a number.")
    if not isfinite(value) or value < 0:
        raise ProfileFault(f"The profile's {where} is {value!r}, but can't be below zero.")
    return float(value)


def _mapping(where: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ProfileFault(f"The profile's {where} must be a table of names and values.")
    return value


def _sums(
    part: str, names: tuple[str, ...], fields: tuple[str, ...], data: Any
) -> dict[str, float]:
    """Return the milliseconds of each algorithm, all operations together."""
    table = _mapping(part, data)
    if strangers := sorted(set(table) - set(names)):
        raise ProfileFault(f"The profile's {part} name {strangers[0]!r}, an unknown algorithm.")
    sums: dict[str, float] = {}
    for name in names:
        if name not in table:
            raise ProfileFault(f"The profile's {part} lack {name}.")
        times = _mapping(f"{part}.{name}", table[name])
        if set(times) != set(fields):
            raise ProfileFault(f"The profile's {part}.{name} must have {', '.join(fields)}.")
        sums[name] = sum(_number(f"{part}.{name}.{field}", times[field]) for field in fields)
    return sums


def _measured(data: Any) -> dict[str, dict[str, float]]:
    measured: dict[str, dict[str, float]] = {}
    for suite_id, values in _mapping("suites", data).items():
        if find_suite(suite_id) is None:
            raise ProfileFault(f"The profile's suites name {suite_id!r}, which is no suite.")
        fields = _mapping(f"suites.{suite_id}", values)
        if strangers := sorted(set(fields) - set(_SUITE_FIELDS)):
            raise ProfileFault(f"The profile's suites.{suite_id} has an unknown {strangers[0]!r}.")
        measured[suite_id] = {
            field: _number(f"suites.{suite_id}.{field}", value) for field, value in fields.items()
        }
    return measured


def parse_profile(data: Any) -> Profile:
    """Return the profile that a document holds; raise ProfileFault with one sentence otherwise."""
    document = _mapping("document", data)
    if document.get("format") != FORMAT:
        raise ProfileFault(f"The profile's format is {document.get('format')!r}, but must be 1.")
    known = {"format", "name", "source", "fixed_ms", "kems", "signatures", "suites"}
    if strangers := sorted(set(document) - known):
        raise ProfileFault(f"The profile has an unknown {strangers[0]!r}.")
    name = document.get("name")
    if not isinstance(name, str) or not name:
        raise ProfileFault("The profile must have a name.")
    fixed_ms = _number("fixed_ms", document.get("fixed_ms", 0.0))
    kems = _sums("kems", KEMS, _KEM_FIELDS, document.get("kems"))
    signatures = _sums("signatures", SIGNATURES, _SIGNATURE_FIELDS, document.get("signatures"))
    measured = _measured(document.get("suites", {}))

    costs: dict[str, Cost] = {}
    for suite in SUITES:
        own = measured.get(suite.id, {})
        sum_ms = fixed_ms + kems[suite.kem] + signatures[suite.signature]
        handshake_ms = own.get("handshake_ms", sum_ms)
        costs[suite.id] = Cost(
            handshake_s=handshake_ms / 1000.0,
            interruption_s=own.get("interruption_ms", max(sum_ms, handshake_ms)) / 1000.0,
            power_w=own.get("power_w"),
        )
    return Profile(name=name, source=str(document.get("source", "")), costs=costs)


def shipped_profile(name: str = SHIPPED) -> Profile:
    """Return a profile of this package."""
    folder = resources.files("pqc_policy.policy.profiles")
    return parse_profile(json.loads(folder.joinpath(f"{name}.json").read_text(encoding="utf-8")))


def load_profile(path: Path) -> Profile:
    """Read a profile from a JSON or YAML file; raise ProfileFault with one sentence otherwise."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        why = getattr(fault, "strerror", None) or fault
        raise ProfileFault(f"The profile {path} can't be read: {why}.") from fault
    try:
        document = yaml.safe_load(text) if path.suffix in (".yaml", ".yml") else json.loads(text)
    except yaml.YAMLError as fault:
        raise ProfileFault(f"The profile {path} is not YAML.") from fault
    except json.JSONDecodeError as fault:
        raise ProfileFault(f"The profile {path} is not JSON (line {fault.lineno}).") from fault
    return parse_profile(document)
