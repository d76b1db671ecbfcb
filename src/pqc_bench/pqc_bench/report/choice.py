# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The plan of a run for a fleet, and how it relates to the shipped default."""

from __future__ import annotations

from pqc_bench.report.ciphers import Ciphers, rank_ciphers
from pqc_bench.report.context import Context
from pqc_bench.report.fleet import Fleet
from pqc_bench.report.number_text import short
from pqc_bench.report.planner import MOST_ENERGY, MOST_PHI, Basis, Plan, plan
from pqc_bench.report.power import busy_core_power


def choose(
    context: Context,
    fleet: Fleet,
    basis: Basis = Basis.HANDSHAKE,
    ciphers: Ciphers | None = None,
) -> Plan:
    """Return the plan for a fleet from the primary condition of the run."""
    return plan(
        context.options,
        fleet,
        busy_core_power(context.run.cells).watts,
        context.noise,
        context.shipped,
        (ciphers or rank_ciphers(context)).order,
        basis,
    )


def against_default(context: Context, found: Plan, ciphers: Ciphers) -> str:
    """Return why the figures exclude the shipped default, as a clause; empty if they do not."""
    default = context.shipped.suite
    level = max(found.fleet.level, context.shipped.min_level)
    if default.level < level:
        return f"the fleet requires level {level}, and the default has level {default.level}"
    ours = next((c for c in found.fitting if c.option.suite == default), None)
    if ours is None:
        costly = next((c for c in found.too_costly if c.option.suite == default), None)
        if costly is None:
            return ""
        if costly.least_phi > MOST_PHI:
            share, of, most = costly.phi, "time", MOST_PHI
        else:
            share, of, most = costly.battery_share or 0.0, "battery", MOST_ENERGY
        return (
            f"its rekeys take {short(100.0 * share)} % of the {of}, and no more than "
            f"{short(100.0 * most)} % is acceptable"
        )
    if ours not in found.tied:
        fastest = found.fitting[0]
        return (
            f"it takes {short(ours.ms)} ms and {fastest.option.name} takes {short(fastest.ms)} ms, "
            "a difference that is larger than its uncertainty"
        )
    return ciphers.against


def measured_default(context: Context) -> bool:
    """Whether the run has a handshake of the shipped default."""
    return any(option.suite == context.shipped.suite for option in context.options)
