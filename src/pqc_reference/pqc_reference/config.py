# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the tunnel that this peer uses, and the files that hold them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml

from pqc_reference.epoch_keys import OVERHEAD
from pqc_reference.policy import DRONE_SIGNATURE, HYBRID_X25519, Policy, every_suite_from, only
from pqc_reference.suites import Suite, suite_named

_IP_AND_UDP = 28


class ConfigFault(Exception):
    """A parameter that cannot be used; the text is one sentence."""


@dataclass(frozen=True)
class Plaintext:
    """The readable side of one drone; without a peer port, datagrams go to the latest sender."""

    bind_address: str
    port: int
    peer_address: str
    peer_port: int


@dataclass(frozen=True)
class Config:
    """The configuration of a peer of either role."""

    role: str
    identity_dir: Path
    gcs_address: str
    gcs_datagram_port: int
    datagram_port: int
    handshake_port: int
    suite: Suite | None
    policy: Policy
    plaintexts: Mapping[str, Plaintext]  # by drone; a drone has one, without a name
    # Parameters of the same names, but for the last, and their defaults
    bind_address: str = ""
    link_mtu_bytes: int = 1500
    replay_window_packets: int = 1024
    blacklist_ttl_s: float = 1800.0
    peer_timeout_s: float = 3.0
    keepalive_interval_s: float = 1.0
    report_interval_s: float = 0.5
    handshake_timeout_s: float = 15.0
    slow_handshake_timeout_s: float = 45.0
    max_key_age_s: float = field(default=3600.0, metadata={"parameter": "rekey.max_age_s"})

    @property
    def max_datagram(self) -> int:
        """The largest datagram that applications may send, in bytes."""
        return self.link_mtu_bytes - _IP_AND_UDP - OVERHEAD

    def timeout_of(self, suite: Suite) -> float:
        """Return the time that a handshake with a suite may take, in s."""
        return self.slow_handshake_timeout_s if suite.kem.slow else self.handshake_timeout_s


def load(role: str, files: Sequence[Path], assignments: Sequence[str] = ()) -> Config:
    """Read parameter files, and NAME:=VALUE assignments, which take precedence."""
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
    """Check parameters, given by name."""

    drone = role == "drone"
    names = [""] if drone else [str(name) for name in _get(values, "drones", list, [])]
    if not names:
        raise ConfigFault("Parameter drones names no drone.")
    policy = _policy(values)
    suite = _suite("suite", _get(values, "suite", str)) if drone else None
    if suite is not None and suite not in policy.allowed:
        raise ConfigFault(f"Parameter suite is {suite.name}, which isn't among the allowed suites.")
    optional = {
        f.name: _get(values, f.metadata.get("parameter", f.name), type(f.default), f.default)
        for f in fields(Config)
        if f.default is not MISSING
    }
    return Config(
        role=role,
        identity_dir=Path(_get(values, "identity_dir", str)),
        gcs_address=_get(values, "gcs_address", str) if drone else "",
        gcs_datagram_port=_get(values, "gcs_datagram_port", int) if drone else 0,
        datagram_port=_get(values, "datagram_port", int),
        handshake_port=_get(values, "handshake_port", int),
        suite=suite,
        policy=policy,
        plaintexts={name: _plaintext(values, f"drone.{name}." if name else "") for name in names},
        **optional,
    )


def _plaintext(values: Mapping[str, Any], prefix: str) -> Plaintext:
    return Plaintext(
        bind_address=_get(values, "plaintext_bind_address", str),
        port=_get(values, f"{prefix}plaintext_port", int),
        peer_address=_get(values, f"{prefix}plaintext_peer_address", str, ""),
        peer_port=_get(values, f"{prefix}plaintext_peer_port", int, 0),
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


def _get(values: Mapping[str, Any], name: str, kind: type, default: Any = None) -> Any:
    """Return a parameter; it is required if it has no default."""
    value = values.get(name, default)
    if value is None:
        raise ConfigFault(f"Parameter {name} is missing.")
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise ConfigFault(f"Parameter {name} is {value!r}, which is of the wrong type.")
    return value


def _parameters(file: Path) -> dict[str, Any]:
    """Return the parameters of a ROS 2 parameter file for nodes called tunnel, in any namespace."""
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigFault(f"{file} can't be read: {error.strerror}.") from error
    except yaml.YAMLError as error:
        raise ConfigFault(f"{file} isn't valid YAML.") from error
    parameters: dict[str, Any] = {}
    for path, value in _leaves(content if isinstance(content, dict) else {}, "/"):
        node, found, name = path.partition("/ros__parameters/")
        if found and node.rpartition("/")[2] in ("tunnel", "*", "**"):
            parameters[name.replace("/", ".")] = value
    return parameters


def _leaves(node: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    for key, value in node.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{path}{key}/")
        else:
            yield f"{path}{key}", value
