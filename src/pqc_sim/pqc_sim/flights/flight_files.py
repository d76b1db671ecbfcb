# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Flights as files: a rosbag2 folder, and the decisions and parameters beside the recording."""

from __future__ import annotations

from pathlib import Path

import yaml
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.explain.decision_log import Line, to_json
from pqc_policy.replay.parameter_file import read_settings
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer

from pqc_sim.flights.messages import store
from pqc_sim.flights.script import Script
from pqc_sim.flights.simulation import Entry, Flown

DECISIONS = "decisions.json"
PARAMETERS = "policy.yaml"
_NODE = "/**/policy"
_EVER = QosTime(2**31 - 1, 999_999_999)


def _qos(depth: int, reliable: bool, kept: bool = False) -> Qos:
    return Qos(
        QosHistory.KEEP_LAST,
        depth,
        QosReliability.RELIABLE if reliable else QosReliability.BEST_EFFORT,
        QosDurability.TRANSIENT_LOCAL if kept else QosDurability.VOLATILE,
        _EVER,
        _EVER,
        QosLiveliness.AUTOMATIC,
        _EVER,
        False,
    )


_SENSOR = _qos(5, reliable=False)
_PROFILES = {
    "/pqc/status": _qos(1, reliable=True, kept=True),
    "/pqc/suites": _qos(1, reliable=True, kept=True),
    "/pqc/events": _qos(50, reliable=True),
    "/pqc/advisor": _qos(10, reliable=True),
    "/mavros/state": _qos(10, reliable=True),
}


def write_bag(folder: Path, entries: list[Entry]) -> None:
    """Write a compressed bag with message definitions into a new folder."""
    types = store()
    writer = Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP)
    writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
    with writer:
        connections = {
            topic: writer.add_connection(
                topic,
                kind,
                typestore=types,
                offered_qos_profiles=[_PROFILES.get(topic, _SENSOR)],
            )
            for topic, kind in sorted({(e.topic, e.message.__msgtype__) for e in entries})
        }
        for entry in entries:
            data = types.serialize_cdr(entry.message, entry.message.__msgtype__)
            writer.write(connections[entry.topic], entry.at_ns, data)


def write_flight(folder: Path, flown: Flown) -> None:
    """Write a flight's bag, and its parameters if they aren't the defaults."""
    write_bag(folder, flown.entries)
    write_parameters(folder, flown.script)


def write_parameters(folder: Path, script: Script) -> None:
    """Write a parameter file for the policy node, if the flight needs one."""
    if script.parameters:
        document = {_NODE: {"ros__parameters": dict(script.parameters)}}
        text = "# Parameters of this flight that differ from the defaults.\n"
        text += yaml.safe_dump(document, sort_keys=True)
        (folder / PARAMETERS).write_text(text, encoding="utf-8")


def policy_of(folder: Path) -> Policy:
    """Return the policy that a flight was flown with."""
    file = folder / PARAMETERS
    return read_settings(file if file.exists() else None).make_policy()


def write_log(folder: Path, lines: list[Line]) -> None:
    """Write a flight's decision log, a line each."""
    (folder / DECISIONS).write_text(to_json(lines), encoding="utf-8")
