# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The tunnel's parameter files, as far as this peer goes by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml

from pqc_reference.handshake import HANDSHAKE_TIMEOUT_S, SLOW_HANDSHAKE_TIMEOUT_S
from pqc_reference.policy import (
    DRONE_SIGNATURE,
    HYBRID_X25519,
    Policy,
    every_suite_from,
    only,
)
from pqc_reference.suites import Suite, suite_named

_NODE = ("pqc", "tunnel")
_IP_AND_UDP = 28
_T = TypeVar("_T")


class ConfigFault(Exception):
    """A parameter that can't be used; the text is one sentence."""


@dataclass(frozen=True)
class Plaintext:
    """The readable side of one drone."""

    bind_address: str
    port: int
    peer_address: str
    peer_port: int
    mirror_address: str
    mirror_port: int


@dataclass(frozen=True)
class Config:
    """Everything that a peer of either role is configured with."""

    role: str
    identity_dir: Path
    bind_address: str
    datagram_port: int
    handshake_port: int
    gcs_address: str
    gcs_datagram_port: int
    suite: Suite | None
    policy: Policy
    plaintexts: Mapping[str, Plaintext]  # by drone; a drone has one, without a name
    max_datagram: int
    replay_window: int
    blacklist_ttl_s: float
    max_key_age_s: float
    peer_timeout_s: float
    keepalive_interval_s: float
    report_interval_s: float
    handshake_timeout_s: float
    slow_handshake_timeout_s: float

    def timeout_of(self, suite: Suite) -> float:
        """Return the time that a handshake with a suite may take, in s."""
        slow = suite.kem.slow
        return self.slow_handshake_timeout_s if slow else self.handshake_timeout_s


def load(role: str, files: Sequence[Path], assignments: Sequence[str] = ()) -> Config:
    """Read parameter files, and NAME:=VALUE assignments over them."""
    values: dict[str, Any] = {}
    for file in files:
        values |= _parameters(file)
    for assignment in assignments:
        name, separator, value = assignment.partition(":=")
        if not separator:
            raise ConfigFault(f"'{assignment}' isn't of the form NAME:=VALUE.")
        values[name] = yaml.safe_load(value)
    return make_config(role, values)


def make_config(role: str, values: Mapping[str, Any]) -> Config:
    """Make a configuration of parameters by their names."""
    drone = role == "drone"
    names = [""] if drone else [str(name) for name in _get(values, "drones", list, [])]
    if not names:
        raise ConfigFault("Parameter drones names no drone.")
    policy = _policy(values)
    suite = _suite("suite", str(_get(values, "suite", str))) if drone else None
    if suite is not None and suite not in policy.allowed:
        raise ConfigFault(f"Parameter suite is {suite.name}, which isn't among the allowed suites.")

    def seconds(name: str, default: float) -> float:
        return float(_get(values, name, (int, float), default))

    return Config(
        role=role,
        identity_dir=Path(_get(values, "identity_dir", str)),
        bind_address=_get(values, "bind_address", str, ""),
        datagram_port=_get(values, "datagram_port", int),
        handshake_port=_get(values, "handshake_port", int),
        gcs_address=_get(values, "gcs_address", str) if drone else "",
        gcs_datagram_port=_get(values, "gcs_datagram_port", int) if drone else 0,
        suite=suite,
        policy=policy,
        plaintexts={name: _plaintext(values, f"drone.{name}." if name else "") for name in names},
        max_datagram=_get(values, "link_mtu_bytes", int, 1500) - _IP_AND_UDP - 38,
        replay_window=_get(values, "replay_window_packets", int, 1024),
        blacklist_ttl_s=seconds("blacklist_ttl_s", 1800.0),
        max_key_age_s=seconds("rekey.max_age_s", 3600.0),
        peer_timeout_s=seconds("peer_timeout_s", 3.0),
        keepalive_interval_s=seconds("keepalive_interval_s", 1.0),
        report_interval_s=seconds("report_interval_s", 1.0),
        handshake_timeout_s=seconds("handshake_timeout_s", HANDSHAKE_TIMEOUT_S),
        slow_handshake_timeout_s=seconds("slow_handshake_timeout_s", SLOW_HANDSHAKE_TIMEOUT_S),
    )


def _plaintext(values: Mapping[str, Any], prefix: str) -> Plaintext:
    return Plaintext(
        bind_address=_get(values, "plaintext_bind_address", str),
        port=_get(values, f"{prefix}plaintext_port", int),
        peer_address=_get(values, f"{prefix}plaintext_peer_address", str, ""),
        peer_port=_get(values, f"{prefix}plaintext_peer_port", int, 0),
        mirror_address=_get(values, f"{prefix}mirror_address", str, ""),
        mirror_port=_get(values, f"{prefix}mirror_port", int, 0),
    )


def _policy(values: Mapping[str, Any]) -> Policy:
    experimental = _get(values, "allow_experimental", bool, False)
    floor = _get(values, "min_level", int, 3)
    mode = HYBRID_X25519 if _get(values, "hybrid_x25519", bool, False) else 0
    mode |= DRONE_SIGNATURE if _get(values, "drone_signature", bool, False) else 0
    names = _get(values, "allowed_suites", list, [])
    if not names:
        return every_suite_from(floor, experimental=experimental, mode=mode)
    suites = [_suite("allowed_suites", str(name)) for name in names]
    for suite in suites:
        if suite.level < floor:
            raise ConfigFault(f"Parameter allowed_suites names {suite.name}, below min_level.")
        if suite.kem.experimental and not experimental:
            raise ConfigFault(f"Parameter allowed_suites names {suite.name}, an experimental one.")
    return only(suites, mode=mode)


def _suite(parameter: str, name: str) -> Suite:
    suite = suite_named(name)
    if suite is None:
        raise ConfigFault(f"Parameter {parameter} names '{name}', which is no suite.")
    return suite


def _get(
    values: Mapping[str, Any],
    name: str,
    kind: type[_T] | tuple[type, ...],
    default: _T | None = None,
) -> Any:
    value = values.get(name, default)
    if value is None:
        raise ConfigFault(f"Parameter {name} is missing.")
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
        raise ConfigFault(f"Parameter {name} is {value!r}, which is of the wrong type.")
    return value


def _parameters(file: Path) -> dict[str, Any]:
    """Return what a ROS 2 parameter file holds for the node /pqc/tunnel."""
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigFault(f"{file} can't be read: {error.strerror}.") from error
    except yaml.YAMLError as error:
        raise ConfigFault(f"{file} isn't valid YAML.") from error
    values: dict[str, Any] = {}
    if isinstance(content, dict):
        _collect_sections((), content, values)
    return values


def _collect_sections(path: tuple[str, ...], node: dict[str, Any], into: dict[str, Any]) -> None:
    for key, value in node.items():
        if not isinstance(value, dict):
            continue
        if key == "ros__parameters":
            if _matches(path, _NODE):
                _flatten("", value, into)
        else:
            _collect_sections((*path, *filter(None, str(key).split("/"))), value, into)


def _matches(pattern: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Tell whether a node's name fits: * is one part of it, ** any number of parts."""
    if not pattern:
        return not name
    if pattern[0] == "**":
        return _matches(pattern[1:], name) or (bool(name) and _matches(pattern, name[1:]))
    return bool(name) and pattern[0] in ("*", name[0]) and _matches(pattern[1:], name[1:])


def _flatten(prefix: str, node: dict[str, Any], into: dict[str, Any]) -> None:
    for key, value in node.items():
        if isinstance(value, dict):
            _flatten(f"{prefix}{key}.", value, into)
        else:
            into[f"{prefix}{key}"] = value
