# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Fleet planning: what to fly with which battery, level, rekey interval and link."""

from __future__ import annotations

import json
from html import escape

from pqc_bench.report import names, planner
from pqc_bench.report.answer import choose_cipher
from pqc_bench.report.context import Context
from pqc_bench.report.planner import Basis, Fleet, Option, Plan, forecast, options_of, plan
from pqc_bench.report.power import power_of
from pqc_bench.report.run_data import having
from pqc_bench.report.section import Raw, Section, Tabulated
from pqc_bench.report.svg import short
from pqc_bench.report.table import Column, Table, Value

FLEETS = (
    Fleet("Small quadcopter, Wi-Fi", 60.0, 20.0, 1, 60.0, 20000.0, 5.0),
    Fleet("Survey drone, LTE", 180.0, 40.0, 3, 60.0, 5000.0, 50.0),
    Fleet("Fixed wing, 250 kbit/s radio", 400.0, 120.0, 3, 300.0, 250.0, 40.0),
    Fleet("Long range, 57.6 kbit/s radio", 400.0, 120.0, 3, 600.0, 57.6, 120.0),
    Fleet("High assurance, LTE", 600.0, 60.0, 5, 30.0, 5000.0, 50.0),
    Fleet("Satellite link", 1500.0, 600.0, 5, 3600.0, 128.0, 600.0),
)


def fleets(context: Context) -> Section:
    """A planner for the reader's own fleet, and a table for typical ones."""
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
            Column("handshake (ms)", "handshake_ms", "on this link"),
            Column("Φ (%)", "phi_percent"),
            Column("battery (%)", "battery_percent", "for all rekeys of the flight"),
            Column("Φ (%), rekeys as measured", "phi_measured_percent", "with what keys lay ready"),
            Column("why", "why"),
        ],
        note="A handshake on the link is the measured one, "
        f"{planner.ROUND_TRIPS} round trips, and the time its bytes take; nothing is added for "
        "loss. A first handshake has no keys made ahead; the run's rekeys may have had.",
    )
    power = power_of(context.main, context.run.primary()[0])
    for fleet in FLEETS:
        found = plan(context.options, fleet, power.watts, context.noise)
        asked = (
            Value(fleet.name),
            Value(fleet.battery_wh),
            Value(fleet.minutes),
            Value(f"L{fleet.level}"),
            Value(fleet.rekey_s),
            Value(fleet.link_kbit_s),
            Value(fleet.round_trip_ms),
        )
        if found.chosen is None:
            nothing = Value(None, why="no suite fits")
            table.add(*asked, *[nothing] * 5, Value(reason(found)))
            continue
        option = found.chosen.option
        cipher = choose_cipher(context, option.cells, option.level)
        link = context.option_link(option)
        table.add(
            *asked,
            Value(names.suite_name(option.kem, option.signature, cipher.aead), link),
            Value(found.chosen.ms, link),
            Value(100.0 * found.chosen.phi, link),
            Value(100.0 * found.chosen.battery_share, link),
            Value(_phi_measured(option, fleet, power.watts), link),
            Value(reason(found)),
        )
    return Section(
        "fleets",
        "Fleet planning",
        f"From this run's handshakes ({context.condition_words}). A suite fits if its rekeys take "
        f"at most {_percent(planner.MOST_PHI)} of the time and {_percent(planner.MOST_ENERGY)} of "
        f"the battery. Below {_percent(planner.NO_MATTER)} of both, or as fast as the fastest "
        f"within the noise ({_percent(context.noise)}), suites count as equals: then the highest "
        "level is taken, and the fewest bytes. Experimental KEMs (HQC) are never proposed.",
        [Raw(_form(context)), Tabulated("Typical fleets", table)],
    )


def reason(found: Plan) -> str:
    """Return why a plan is what it is, in a sentence."""
    left_out = [
        f"{count} {words}"
        for count, words in (
            (found.below_level, "below the level"),
            (found.experimental, "experimental"),
            (len(found.too_costly), "too costly"),
            (found.unmeasured, "without a measured rekey"),
        )
        if count
    ]
    out = f" Left out: {', '.join(left_out)}." if left_out else ""
    if found.chosen is None:
        return f"Nothing fits: {_advice(found)}.{out}"
    if len(found.fitting) == 1:
        return f"The only one that fits.{out}"
    if len(found.tied) > 1:
        return (
            f"Of {len(found.tied)} that cost as little as makes no difference, the highest level, "
            f"then the fewest bytes.{out}"
        )
    second = found.fitting[1]
    return f"The fastest; next is {second.option.name} with {short(second.ms)} ms.{out}"


def _advice(found: Plan) -> str:
    remedies = ["rekey less often"] if found.too_costly else []
    remedies += ["lower the level"] if found.below_level else []
    return " or ".join(remedies) or "no suite of this run may be proposed"


def planner_data(context: Context) -> dict[str, object]:
    """Return what page.js plans with."""
    scenarios = {}
    for scenario, cells in context.run.across().items():
        done = having(cells, lambda cell: cell.handshake_ms)
        scenarios[scenario] = {
            "power_w": power_of(done, scenario).watts,
            "options": [
                {
                    "name": option.name,
                    "level": option.level,
                    "ms": {basis: option.cost_ms(basis) for basis in Basis},
                    "bytes": option.wire_bytes,
                    "experimental": option.experimental,
                    "href": context.option_link(option),
                    "cipher": names.display(
                        choose_cipher(context, option.cells, option.level).aead
                    ),
                }
                for option in options_of(done)
            ],
        }
    return {
        "noise": context.noise,
        "round_trips": planner.ROUND_TRIPS,
        "no_matter": planner.NO_MATTER,
        "most_phi": planner.MOST_PHI,
        "most_energy": planner.MOST_ENERGY,
        "scenarios": scenarios,
    }


def _phi_measured(option: Option, fleet: Fleet, power_w: float) -> float | None:
    if option.rekey_ms is None:
        return None
    return 100.0 * forecast(option, option.rekey_ms, fleet, power_w).phi


def _percent(share: float) -> str:
    return f"{short(100.0 * share)} %"


def _form(context: Context) -> str:
    first = FLEETS[1]
    choices = "".join(f"<option>{escape(name)}</option>" for name in context.run.across())
    data = json.dumps(planner_data(context)).replace("</", "<\\/")
    power = power_of(context.main, context.run.primary()[0])
    numbers = (
        ("battery", "battery (Wh)", first.battery_wh),
        ("minutes", "flight (min)", first.minutes),
        ("rekey", "rekey every (s)", first.rekey_s),
        ("kbit", "link (kbit/s)", first.link_kbit_s),
        ("rtt", "round trip (ms)", first.round_trip_ms),
        ("power", f"computer's power (W), {power.kind}", power.watts),
    )
    inputs = "".join(
        f'<label>{escape(words)}<input type="number" min="0" step="any" name="{name}" '
        f'value="{value:g}"></label>'
        for name, words, value in numbers
    )
    bases = "".join(
        f'<option value="{basis}">{words}</option>'
        for basis, words in (
            (Basis.HANDSHAKE, "first handshake, no keys ready"),
            (Basis.REKEY, "rekey, as measured"),
        )
    )
    levels = "".join(
        f'<option value="{level}"{" selected" if level == first.level else ""}>{level}</option>'
        for level in (1, 3, 5)
    )
    return (
        '<form id="planner" autocomplete="off"><fieldset><legend>Your fleet</legend>'
        f'{inputs}<label>level at least<select name="level">{levels}</select></label>'
        f'<label>beside the tunnel<select name="scenario">{choices}</select></label>'
        f'<label>a rekey costs as much as a<select name="basis">{bases}</select></label></fieldset>'
        '<div id="plan" aria-live="polite"></div></form>'
        f'<script type="application/json" id="planner-data">{data}</script>'
    )
