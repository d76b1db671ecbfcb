# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What an agent preferred of several choices, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pqc_policy.policy.decision import Preference
from pqc_policy.policy.inputs import Phase

from pqc_learning.closed_loop.worth import weights_of


@dataclass(frozen=True, slots=True)
class AgentPreference(Preference):
    chosen: str
    against: str  # the second best that was open; empty: none was
    values: tuple[tuple[str, float], ...]  # of all choices
    able: tuple[str, ...]  # the choices that were open
    because: tuple[tuple[str, float], ...]  # what spoke for the first against the second
    view: tuple[int, ...]  # the bins of what it saw
    phase: Phase | None  # whose weights count

    def sentences(self) -> Iterator[str]:
        """Yield the values, what spoke most for the choice, and what counts in the phase."""
        values = (
            f"{choice} {value:.3f}{'' if choice in self.able else ' (not open)'}"
            for choice, value in self.values
        )
        yield f"The agent's values: {', '.join(values) or 'none'}."
        because = [f"{what} ({by:+.3f})" for what, by in self.because if by > 0.0]
        if because:
            most = ", ".join(because)
            yield f"For {self.chosen} rather than {self.against} spoke most: {most}."
        weights = weights_of(self.phase)
        where = f"the phase {self.phase}" if self.phase is not None else "an unknown phase"
        yield (
            f"In {where} security counts {weights.security:g}, latency {weights.latency:g}, "
            f"power {weights.power:g}."
        )
