# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The predicted costs of the suites, from a file with measurements of one machine.

A profile is JSON or YAML with format 1: `name`, `source`, `fixed_ms`, the times of every KEM and
signature, and under `suites` measurements of whole suites, which take precedence over the sum of
the parts. What a profile leaves out is that of the shipped profile named as its `base`, if any.

An interruption is the time for which a switch stops the data. `interruption_ms` is the longest one
that was measured, for every suite: this tunnel uses the old keys until the new ones work. Without
it, an interruption is the larger of sum and measured handshake, as of a program that stops for a
rekey. `power_error_w` is the uncertainty of the power of suites: smaller differences are none.

`rekey_ms` and `rekey_bytes` of a suite are those of a rekey in flight, with keys made ahead where
the program does so; without them they are summed up from operations and from the sizes of keys and
signatures. `busy_w` is what a busy core of the drone takes more than an idle one, from which the
drone's energy for a rekey follows, and `cipher_w` what the cipher of the data takes more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from math import isfinite
from pathlib import Path
from typing import Any

from pqc_policy.named_files import FileFault, read_document
from pqc_policy.parameters import ParameterFault
from pqc_policy.policy.suites import FORMER, KEMS, SIGNATURES, SUITES, Suite, find_suite

FORMAT = 1
SHIPPED = ("tunnel_x86_64", "raspberry_pi_5", "raspberry_pi_4")  # the first is the default
_KEM_FIELDS = ("keygen_ms", "encapsulate_ms", "decapsulate_ms")
_SIGNATURE_FIELDS = ("sign_ms", "verify_ms")
_SUITE_FIELDS = (
    "handshake_ms",
    "interruption_ms",
    "power_w",
    "rekey_ms",
    "rekey_bytes",
    "cipher_w",
)
_FIELDS = {"format", "name", "source", "base", "fixed_ms", "interruption_ms"} | {
    "power_error_w",
    "busy_w",
    "kems",
    "signatures",
    "suites",
}
_NAMES = ", ".join(SHIPPED)


class ProfileFault(ParameterFault):
    """A profile that can't be used; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The predicted costs of switching to a suite and of using it."""

    handshake_s: float  # the work of both ends, nothing made ahead
    drone_s: float  # the drone's share of it: the ground makes and signs keys, and decapsulates
    interruption_s: float
    power_w: float | None  # of the drone's computer; None: not measured
    rekey_s: float = 0.0  # of a rekey in flight; with keys made ahead less than handshake_s
    rekey_bytes: float = 0.0  # on the air, both directions, with the next prekey
    rekey_j: float | None = None  # marginal energy of the drone for a rekey; None: not measured
    cipher_w: float | None = None  # marginal power of the drone for the data; None: not measured

    def marginal_w(self, interval_s: float | None) -> float | None:
        """Return the power that the suite takes of the drone; None if it was not measured."""
        if self.rekey_j is None or self.cipher_w is None:
            return None
        return self.cipher_w + (self.rekey_j / interval_s if interval_s else 0.0)


@dataclass(frozen=True)
class Profile:
    """Predicted costs of every suite."""

    name: str
    source: str
    costs: Mapping[str, Cost]
    power_error_w: float = 0.0

    def cost(self, suite: Suite) -> Cost:
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


def _times(
    part: str, names: tuple[str, ...], fields: tuple[str, ...], data: Any
) -> dict[str, dict[str, float]]:
    """Return the milliseconds of each algorithm's operations.

    A present revision that was not measured takes as long as the former one.
    """
    table = dict(_mapping(part, data))
    if strangers := sorted(set(table) - set(names)):
        raise ProfileFault(f"The profile's {part} name {strangers[0]!r}, an unknown algorithm.")
    read: dict[str, dict[str, float]] = {}
    for name in names:
        table.setdefault(name, table.get(FORMER.get(name)))
        if table[name] is None:
            raise ProfileFault(f"The profile's {part} lack {name}.")
        times = _mapping(f"{part}.{name}", table[name])
        if set(times) != set(fields):
            raise ProfileFault(f"The profile's {part}.{name} must have {', '.join(fields)}.")
        read[name] = {field: _number(f"{part}.{name}.{field}", times[field]) for field in fields}
    return read


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
    document = _with_base(_mapping("document", data))
    if document.get("format") != FORMAT:
        raise ProfileFault(f"The profile's format is {document.get('format')!r}, but must be 1.")
    if strangers := sorted(set(document) - _FIELDS):
        raise ProfileFault(f"The profile has an unknown {strangers[0]!r}.")
    name = document.get("name")
    if not isinstance(name, str) or not name:
        raise ProfileFault("The profile must have a name.")
    fixed_ms = _number("fixed_ms", document.get("fixed_ms", 0.0))
    kems = _times("kems", KEMS, _KEM_FIELDS, document.get("kems"))
    signatures = _times("signatures", SIGNATURES, _SIGNATURE_FIELDS, document.get("signatures"))
    every = document.get("interruption_ms")
    every_ms = None if every is None else _number("interruption_ms", every)
    measured = _measured(document.get("suites", {}))
    busy = document.get("busy_w")
    busy_w = None if busy is None else _number("busy_w", busy)

    costs: dict[str, Cost] = {}
    for suite in SUITES:
        own = measured.get(suite.id, {})
        kem, signature = kems[suite.kem], signatures[suite.signature]
        sum_ms = fixed_ms + sum(kem.values()) + sum(signature.values())
        handshake_ms = own.get("handshake_ms", sum_ms)
        usual_ms = max(sum_ms, handshake_ms) if every_ms is None else every_ms
        drone_s = (kem["encapsulate_ms"] + signature["verify_ms"]) / 1000.0
        # A program that stops for a rekey makes nothing ahead.
        ahead_ms = fixed_ms + kem["encapsulate_ms"] + kem["decapsulate_ms"]
        in_flight_ms = handshake_ms if every_ms is None else ahead_ms
        costs[suite.id] = Cost(
            handshake_s=handshake_ms / 1000.0,
            drone_s=drone_s,
            rekey_s=own.get("rekey_ms", in_flight_ms) / 1000.0,
            rekey_bytes=own.get("rekey_bytes", float(suite.rekey_bytes)),
            rekey_j=None if busy_w is None else busy_w * drone_s,
            cipher_w=own.get("cipher_w"),
            interruption_s=own.get("interruption_ms", usual_ms) / 1000.0,
            power_w=own.get("power_w"),
        )
    return Profile(
        name=name,
        source=str(document.get("source", "")),
        costs=costs,
        power_error_w=_number("power_error_w", document.get("power_error_w", 0.0)),
    )


def _with_base(document: Mapping[str, Any]) -> Mapping[str, Any]:
    base = document.get("base")
    if base is None:
        return document
    if base not in SHIPPED:
        raise ProfileFault(f"The profile's base is {base!r}, but must be one of {_NAMES}.")
    return {**_with_base(_shipped_document(base)), **document}


def _shipped_document(name: str) -> Mapping[str, Any]:
    folder = resources.files("pqc_policy.policy.profiles")
    document = json.loads(folder.joinpath(f"{name}.json").read_text(encoding="utf-8"))
    return _mapping("document", document)


def shipped_profile(name: str = SHIPPED[0]) -> Profile:
    return parse_profile(_shipped_document(name))


def load_profile(path: Path) -> Profile:
    """Read a profile from a JSON or YAML file; raise ProfileFault with one sentence otherwise."""
    try:
        return parse_profile(read_document(path, trusted=True))
    except FileFault as fault:
        raise ProfileFault(f"The profile {path} {fault}.") from fault
