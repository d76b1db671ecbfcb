# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the advisor's node, and the advisor they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from pqc_policy.nodes.parameters import Parameter, ParameterFault
from pqc_policy.sensing.advisor import Advisor, AdvisorConfig
from pqc_policy.sensing.detectors import DETECTORS
from pqc_policy.sensing.link_count import COUNTS

_DEFAULT = AdvisorConfig()


def _of_detectors() -> list[Parameter]:
    return [
        Parameter(f"{name}.{item.name}", item.default, **item.metadata)
        for name, kind in DETECTORS.items()
        for item in fields(kind)
        if "description" in item.metadata
    ]


PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "count",
        COUNTS[0],
        "peer_received: our packets as the peer counts them; received: the peer's as we do",
        choices=COUNTS,
        read_only=True,
    ),
    Parameter("detectors", ["heuristic"], "whose highest score counts"),
    Parameter("bin_s", _DEFAULT.bin_s, "s of a bin of packets", 0.05, 60.0),
    Parameter(
        "longest_gap_s",
        _DEFAULT.longest_gap_s,
        "s between two readings after which the bins begin afresh",
        1.0,
        600.0,
    ),
    Parameter("normal_packets", 0.0, "packets in a normal bin; 0: learned", 0.0, 1e6),
    Parameter(
        "learning_bins",
        _DEFAULT.learning_bins,
        "bins that normal is learned from, and how far back it is looked for",
        1,
        100000,
    ),
    Parameter("suspicious_score", _DEFAULT.suspicious_score, "suspicious from here on", 0.01, 1.0),
    Parameter("attack_score", _DEFAULT.attack_score, "an attack from here on", 0.01, 1.0),
    Parameter(
        "raise_bins", _DEFAULT.raise_bins, "bins in a row for a verdict to get worse", 1, 1000
    ),
    Parameter("clear_bins", _DEFAULT.clear_bins, "bins in a row for it to get better", 1, 10000),
    Parameter("stale_s", 3.0, "s without a reading after which nothing is published", 0.1, 600.0),
    Parameter("period_s", 1.0, "s between messages", 0.1, 60.0, read_only=True),
    *_of_detectors(),
)


def make_advisor(values: Mapping[str, Any]) -> Advisor:
    """Return the advisor; raises ParameterFault for values that don't go together."""
    if values["suspicious_score"] > values["attack_score"]:
        raise ParameterFault("suspicious_score is above attack_score, but must not be.")
    names = values["detectors"]
    if not names:
        raise ParameterFault("detectors is empty, but must name at least one.")
    for name in names:
        if name not in DETECTORS:
            known = ", ".join(DETECTORS)
            raise ParameterFault(f"detectors names {name!r}, but there is only: {known}.")
    config = {
        item.name: values[item.name]
        for item in fields(AdvisorConfig)
        if item.name != "normal_packets"
    }
    return Advisor(
        AdvisorConfig(normal_packets=values["normal_packets"] or None, **config),
        [_detector(name, values) for name in names],
    )


def _detector(name: str, values: Mapping[str, Any]) -> Any:
    kind = DETECTORS[name]
    settings = {
        item.name: values[f"{name}.{item.name}"]
        for item in fields(kind)
        if "description" in item.metadata
    }
    return kind(**settings)
