# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the tunnel that this peer uses, and the files that hold them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import PackageNotFoundError, get_package_share_path

from pqc_reference.crypto.policy import (
    DRONE_SIGNATURE,
    HYBRID_X25519,
    Policy,
    every_suite_from,
    only,
)
from pqc_reference.crypto.suites import Suite, suite_named
from pqc_reference.identity import load_drone_record
from pqc_reference.session.epoch_keys import OVERHEAD
from pqc_reference.wire.streams import PART_HEADER

_IP_AND_UDP = 28
_IPV6_AND_UDP = 48
_MAX_STREAM_FRAME = 1232
_SMALL_STREAM_FRAME = 512


class ConfigError(Exception):
    """A parameter or a file that cannot be used; the text is one sentence."""


@dataclass(frozen=True)
class Plaintext:
    """The plaintext side of one drone; without a peer port, datagrams go to the latest sender."""

    bind_address: str
    port: int
    peer_address: str
    peer_port: int


def _parameter(name: str) -> Any:
    return field(metadata={"parameter": name})


@dataclass(frozen=True, kw_only=True)
class Config:
    """The configuration of a peer of either role.

    The numbers and texts are parameters of the tunnel, of the same names unless noted otherwise.
    """

    role: str  # "drone" or "gcs"
    identity_dir: Path
    suite: Suite | None  # suite of a drone's first handshake
    policy: Policy
    plaintexts: Mapping[str, Plaintext]  # by drone name; a drone has one entry, ""
    gcs_address: str
    gcs_datagram_port: int
    datagram_port: int
    bind_address: str
    link_mtu_bytes: int
    peer_timeout_s: float
    keepalive_interval_s: float
    report_interval_s: float
    max_age_s: float
    anchor: str  # auto, required or off
    wipe_after_s: float
    max_key_age_s: float = _parameter("rekey.max_age_s")
    max_ratchets: int = _parameter("rekey.max_ratchets")
    prefetch_max_bytes: int = _parameter("prefetch.max_bytes")
    prefetch_airtime: float = _parameter("prefetch.airtime")
    erase_on_request: bool = False
    # Constants of the tunnel, which are no parameters.
    replay_window_packets: int = 4096
    blacklist_ttl_s: float = 1800.0
    prekey_max_age_s: float = 3600.0

    @property
    def max_datagram(self) -> int:
        """The largest datagram that applications may send, in bytes."""
        return self.link_mtu_bytes - _IP_AND_UDP - OVERHEAD

    @property
    def part_size(self) -> int:
        """The largest part of a stream message in a frame, in bytes."""
        return min(_MAX_STREAM_FRAME, self.link_mtu_bytes - _IPV6_AND_UDP) - OVERHEAD - PART_HEADER

    @property
    def small_part_size(self) -> int:
        """The largest part after three in a row remained unanswered, in bytes."""
        return min(self.part_size, _SMALL_STREAM_FRAME - OVERHEAD - PART_HEADER)


_TYPES = {"str": str, "int": int, "float": float}
# Parameters that only the file of one role has.
_OF_ONE_ROLE = {
    "anchor": "auto",
    "gcs_address": "",
    "gcs_datagram_port": 0,
    "rekey.max_ratchets": 60,
    "prefetch.max_bytes": 4 << 20,
    "prefetch.airtime": 0.02,
}


def load(role: str, files: Sequence[Path], assignments: Sequence[str] = ()) -> Config:
    """Read parameter files and NAME:=VALUE assignments; the last value of a parameter counts.

    ConfigError if a file cannot be read or a value cannot be used.
    """
    values: dict[str, Any] = {}
    for file in files:
        values |= _parameters(file)
    for assignment in assignments:
        name, separator, value = assignment.partition(":=")
        if not separator:
            raise ConfigError(f"'{assignment}' isn't of the form NAME:=VALUE.")
        values[name] = yaml.safe_load(value)
    return make_config(role, values)


# Those that the installed file leaves to the profile.
_OF_PROFILE: dict[str, Any] = {
    "profile": "default",
    "suite": "cs-mlkem768-aesgcm-mldsa65",
    "min_level": 0,
    "allow_experimental": False,
    "hybrid_x25519": False,
    "anchor": "auto",
}


def make_config(role: str, given: Mapping[str, Any]) -> Config:
    """Return the configuration of a role from parameters by name.

    Missing parameters have their values in the file that pqc_tunnel installs for the role.
    ConfigError if a value cannot be used.
    """
    drone = role == "drone"
    values = _OF_PROFILE | _shipped(role) | given
    if values["profile"] != "default":
        raise ConfigError("The reference peer has no profiles: leave out the parameter profile.")
    identity = Path(_get(values, "identity_dir", str))
    sides = {"": values} if drone else dict(_drones(identity, values))
    if not sides:
        raise ConfigError(f"{identity / 'drones'} holds no drone.")
    policy = _policy(values)
    suite = _suite("suite", _get(values, "suite", str)) if drone else None
    if suite is not None and suite not in policy.allowed:
        raise ConfigError(f"Parameter suite is {suite.name}, which isn't among the allowed suites.")
    named = {f.name: f.metadata.get("parameter", f.name) for f in fields(Config)}
    plain = {
        f.name: _get(values, named[f.name], _TYPES[f.type], _OF_ONE_ROLE.get(named[f.name]))
        for f in fields(Config)
        if f.name != "role" and f.type in _TYPES and f.default is MISSING
    }
    return Config(
        role=role,
        identity_dir=identity,
        suite=suite,
        policy=policy,
        erase_on_request=drone and _get(values, "erase_on_request", bool, False),
        plaintexts={name: _plaintext(side) for name, side in sides.items()},
        **plain,
    )


def _drones(identity: Path, values: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the drones of a ground station by number, and the parameters of each."""
    files = (identity / "drones").glob("*.drone")
    records = [load_drone_record(identity, file.stem) for file in files]
    for record in sorted(records, key=lambda record: (record.number, record.name)):
        settings = identity / "drones" / f"{record.name}.yaml"
        own = yaml.safe_load(settings.read_text(encoding="utf-8")) if settings.is_file() else {}
        port = _get(values, "plaintext_port", int) + record.number
        yield record.name, {**values, "plaintext_port": port, **(own or {})}


def _plaintext(values: Mapping[str, Any]) -> Plaintext:
    return Plaintext(
        bind_address=_get(values, "plaintext_bind_address", str),
        port=_get(values, "plaintext_port", int),
        peer_address=_get(values, "plaintext_peer_address", str, ""),
        peer_port=_get(values, "plaintext_peer_port", int, 0),
    )


def _policy(values: Mapping[str, Any]) -> Policy:
    experimental = _get(values, "allow_experimental", bool)
    floor = _get(values, "min_level", int)
    if floor == 0:
        floor = _suite("suite", _get(values, "suite", str)).level
    mode = HYBRID_X25519 if _get(values, "hybrid_x25519", bool) else 0
    mode |= DRONE_SIGNATURE if _get(values, "drone_signature", bool) else 0
    names = _get(values, "allowed_suites", list, [])
    if not names:
        return every_suite_from(floor, experimental=experimental, mode=mode)
    suites = [_suite("allowed_suites", str(name)) for name in names]
    for suite in suites:
        if suite.level < floor:
            raise ConfigError(f"Parameter allowed_suites names {suite.name}, below min_level.")
        if suite.kem.experimental and not experimental:
            raise ConfigError(f"Parameter allowed_suites names {suite.name}, an experimental one.")
    return only(suites, mode=mode)


def _suite(parameter: str, name: str) -> Suite:
    suite = suite_named(name)
    if suite is None:
        raise ConfigError(f"Parameter {parameter} names '{name}', which is no suite.")
    return suite


def _get(values: Mapping[str, Any], name: str, kind: type, default: Any = None) -> Any:
    value = values.get(name, default)
    if value is None:
        raise ConfigError(f"Parameter {name} is missing.")
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise ConfigError(f"Parameter {name} is {value!r}, which is of the wrong type.")
    return value


def _shipped(role: str) -> dict[str, Any]:
    """Return the parameters of the installed file for a role."""
    try:
        file = get_package_share_path("pqc_tunnel") / "config" / f"{role}.yaml"
    except PackageNotFoundError as error:
        raise ConfigError("The package pqc_tunnel isn't built.") from error
    return _parameters(file)


def _parameters(file: Path) -> dict[str, Any]:
    """Return the parameters of a ROS 2 parameter file for nodes called tunnel, in any namespace."""
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{file} can't be read: {error.strerror}.") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{file} isn't valid YAML.") from error
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
