# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Fleet planning: the suite for a battery, level, rekey interval and link."""

from __future__ import annotations

from collections.abc import Sequence

from pqc_policy.policy.suites import DEFAULT_SUITE

from pqc_bench.report import planner
from pqc_bench.report.answer import left_out_words
from pqc_bench.report.choice import choose
from pqc_bench.report.ciphers import rank_ciphers
from pqc_bench.report.context import Context
from pqc_bench.report.fleet import Fleet
from pqc_bench.report.number_text import short
from pqc_bench.report.planner import Basis, Plan, forecast
from pqc_bench.report.power import busy_core_power
from pqc_bench.report.section import Section, Tabulated
from pqc_bench.report.table import Column, Table, Value

FLEETS = (
    Fleet("Small quadcopter, Wi-Fi", 60.0, 20.0, 1, 60.0, 20000.0, 5.0),
    Fleet("Survey drone, LTE", 180.0, 40.0, 3, 60.0, 5000.0, 50.0),
    Fleet("Fixed wing, 250 kbit/s radio", 400.0, 120.0, 3, 300.0, 250.0, 40.0),
    Fleet("Long range, 57.6 kbit/s radio", 400.0, 120.0, 3, 600.0, 57.6, 120.0),
    Fleet("High assurance, LTE", 600.0, 60.0, 5, 30.0, 5000.0, 50.0),
    Fleet("Satellite link", 1500.0, 600.0, 5, 3600.0, 128.0, 600.0),
)


def fleets(context: Context, wanted: Sequence[Fleet] = ()) -> Section:
    """Return a table of plans for typical fleets and for `wanted`."""
    table = Table(
        "fleets",
        [
            Column("fleet", "fleet"),
            Column("battery (Wh)", "battery_wh"),
            Column("flight (min)", "minutes"),
            Column("level ≥", "level_floor"),
            Column("rekey (s)", "rekey_s"),
            Column("link (kbit/s)", "link_kbit_s"),
            Column("round trip (ms)", "round_trip_ms"),
            Column("fly", "suite"),
            Column("handshake (ms)", "handshake_ms", "on this link", interval=True),
            Column("Φ (%)", "phi_percent"),
            Column("battery (%)", "battery_percent", "the drone's work for all rekeys"),
            Column("Φ (%), rekeys as measured", "phi_measured_percent", "with keys made ahead"),
            Column("fly, with keys made ahead", "suite_keys_ahead", "rekeys as measured"),
            Column("why", "why"),
        ],
        note="A handshake on the link takes the measured time, "
        f"{planner.ROUND_TRIPS} round trips and the time of its bytes; nothing is added for loss. "
        "No keys are made ahead for a first handshake, but they may be for the rekeys of the run. "
        "bench report --fleet adds a fleet.",
    )
    ciphers = rank_ciphers(context)
    core_w = busy_core_power(context.run.cells).watts
    for fleet in (*FLEETS, *wanted):
        found = choose(context, fleet, ciphers=ciphers)
        ahead = choose(context, fleet, Basis.REKEY, ciphers)
        table.add(
            Value(fleet.name),
            Value(fleet.battery_wh),
            Value(fleet.minutes),
            Value(f"L{max(fleet.level, context.shipped.min_level)}"),
            Value(fleet.rekey_s),
            Value(fleet.link_kbit_s),
            Value(fleet.round_trip_ms),
            *_costs(context, found, core_w),
            _suite(context, ahead),
            Value(reason(found)),
        )
    return Section(
        "fleets",
        "Fleet planning",
        f"From the handshakes of this run ({context.condition_words}). A suite fits if its rekeys "
        f"take at most {_percent(planner.MOST_PHI)} of the time and "
        f"{_percent(planner.MOST_ENERGY)} of the battery. Suites count as equal below "
        f"{_percent(planner.NO_MATTER)} of both, or if they are as fast as the fastest within "
        f"{context.noise_words}. Among equals the shipped default wins, "
        "then the highest level, then the fewest bytes. As in the shipped parameters only levels "
        f"from {context.shipped.min_level} on and algorithms that FIPS publishes are proposed.",
        [Tabulated("Plans", table)],
    )


def _suite(context: Context, found: Plan) -> Value:
    if found.chosen is None:
        return Value(None, why="no suite fits")
    option = found.chosen.option
    return Value(option.name, context.link(option.cell))


def _costs(context: Context, found: Plan, core_w: float) -> list[Value]:
    chosen = found.chosen
    if chosen is None:
        return [Value(None, why="no suite fits")] * 5
    link = context.link(chosen.option.cell)
    measured = forecast(chosen.option, Basis.REKEY, found.fleet, core_w)
    share = chosen.battery_share
    return [
        _suite(context, found),
        Value(chosen.ms, link, interval=chosen.interval),
        Value(100.0 * chosen.phi, link),
        Value(None if share is None else 100.0 * share, link),
        Value(None if measured is None else 100.0 * measured.phi, link),
    ]


def reason(found: Plan) -> str:
    """Return the reason for a plan, as a sentence."""
    left_out = left_out_words(found)
    out = f" Left out: {', '.join(left_out)}." if left_out else ""
    chosen = found.chosen
    if chosen is None:
        return f"Nothing fits: {_advice(found)}.{out}"
    if chosen.option.suite.id == DEFAULT_SUITE:
        return f"The shipped default, which no figure excludes.{out}"
    if len(found.fitting) == 1:
        return f"The only one that fits.{out}"
    if len(found.tied) > 1:
        return f"The highest level of {len(found.tied)} of equal cost, then the fewest bytes.{out}"
    second = found.fitting[1]
    return f"The fastest; next is {second.option.name} with {short(second.ms)} ms.{out}"


def _advice(found: Plan) -> str:
    remedies = ["rekey less often"] if found.too_costly else []
    remedies += ["lower the level"] if found.left_out.below_level else []
    return " or ".join(remedies) or "no suite of this run may be proposed"


def _percent(share: float) -> str:
    return f"{short(100.0 * share)} %"
