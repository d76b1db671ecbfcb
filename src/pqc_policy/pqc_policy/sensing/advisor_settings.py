# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the advisor node, and the advisor that they describe."""

from __future__ import annotations

from dataclasses import dataclass

from pqc_policy.parameters import ParameterFault, group, parameter
from pqc_policy.sensing.advisor import Advisor, AdvisorConfig
from pqc_policy.sensing.detectors import Heuristic
from pqc_policy.sensing.link_count import COUNTS


@dataclass(frozen=True)
class AdvisorSettings:
    """All parameters of the advisor node; a detector's field has the name of the detector."""

    count: str = parameter(
        COUNTS[0],
        "Packets to count; peer_received: ours as the peer counts them; received: the peer's "
        "as we count them.",
        choices=COUNTS,
        live=False,
        section="Counting",
    )
    detectors: tuple[str, ...] = parameter(
        ("heuristic",),
        "Detectors to use; the highest score counts.",
        choices=("heuristic",),
        section="Verdicts",
    )
    config: AdvisorConfig = group(AdvisorConfig)
    heuristic: Heuristic = group(Heuristic, "heuristic.")
    stale_s: float = parameter(
        3.0,
        "Time without a reading after which nothing is published.",
        "s",
        0.1,
        600.0,
        section="Publishing",
    )
    period_s: float = parameter(1.0, "Time between messages.", "s", 0.1, 60.0, live=False)

    def __post_init__(self) -> None:
        """Raise ParameterFault for values that don't fit together."""
        if self.config.suspicious_score > self.config.attack_score:
            raise ParameterFault("suspicious_score must not be above attack_score.")
        if not self.detectors:
            raise ParameterFault("detectors is empty, but must name at least one.")

    def make_advisor(self) -> Advisor:
        """Return the advisor with the named detectors."""
        return Advisor(self.config, [getattr(self, name) for name in self.detectors])
