# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Categories A to C: the run, the suite, and the course of the cell."""

from __future__ import annotations

from typing import Any

from pqc_policy.policy.suites import find_suite

from pqc_bench.cell.cell import BLASTER_SIZE, RATES
from pqc_bench.cell.observed import Observed
from pqc_bench.cell.parameters import PARAMETERS_FILE
from pqc_bench.cell.suite_set import set_of
from pqc_bench.metrics.sheet import NOT_APPLICABLE, Sheet


def run_context(seen: Observed, sheet: Sheet) -> None:
    """Record category A: the cell's place in the matrix, and the environment."""
    known = {
        "cell": seen.cell,
        "suite": seen.suite,
        "scenario": seen.scenario,
        "load": seen.load,
        "link": seen.link,
        "traffic_asked_s": seen.seconds,
        "policy": seen.policy,
        "repetition": seen.repetition,
        "started_at": seen.started_at,
        "one_machine": seen.one_machine,
        "parameters_file": PARAMETERS_FILE,
    }
    for name, value in known.items():
        sheet.put(f"a_run_context.{name}", value)
    own_pace = bool(seen.vehicle) and seen.load != "blaster"
    optional: dict[str, tuple[Any, str]] = {
        "offered_rate_per_s": (
            None if own_pace else RATES[seen.load],
            "The vehicle sends at its own pace.",
        ),
        "vehicle": (seen.vehicle or None, "The vehicle is simulated."),
        "scenario_command": (seen.scenario_command, "Nothing runs beside the tunnel."),
        "link_seed": (seen.link_seed, "There was no emulated link."),
        "datagram_bytes": (
            BLASTER_SIZE if seen.load == "blaster" else None,
            "MAVLink's messages differ in size.",
        ),
    }
    for name, (value, reason) in optional.items():
        sheet.put(f"a_run_context.{name}", value, reason, NOT_APPLICABLE)
    sheet.zero("a_run_context.link_seed", "It was given as 0.")
    path = "a_run_context.scenario_told"
    if seen.scenario_command is None:
        sheet.lack(path, "Nothing runs beside the tunnel.", NOT_APPLICABLE)
    elif seen.scenario_report is None:
        sheet.lack(path, "The scenario's program wrote no report.")
    else:
        sheet.put(path, seen.scenario_report, "The scenario's program does not report it.")
    environment = seen.collected.get("environment", {})
    for name, value in environment.items():
        if name != "health":
            sheet.put(f"a_run_context.{name}", value, "The machine provides no value.")


def crypto_identity(seen: Observed, sheet: Sheet) -> None:
    """Record category B: the suite, from the suite table."""
    suite = find_suite(seen.suite)
    assert suite is not None, seen.suite
    sheet.put(
        "b_crypto_identity",
        {
            "kem": suite.kem,
            "kem_family": str(suite.family),
            "signature": suite.signature,
            "signature_family": str(suite.signature_family),
            "aead": suite.aead,
            "aead_key_bits": seen.first.get("drone", {}).get("aead_key_bits"),
            "level": suite.level,
            "tier": suite.tier,
            "set": set_of(suite),
            "experimental": suite.experimental,
        },
    )
    sheet.zero("b_crypto_identity.tier", "The lightest suites have tier 0.")


def lifecycle(seen: Observed, sheet: Sheet) -> None:
    """Record category C: the course of the cell."""
    sheet.put("c_lifecycle.success", not seen.failure)
    sheet.put("c_lifecycle.failure_reason", seen.failure or None, "Nothing failed.", NOT_APPLICABLE)
    spans = {
        "launch_ms": ("launched", "nodes"),
        "establish_ms": ("launched", "established"),
        "clock_sync_ms": ("established", "clock"),
        "ready_ms": ("launched", "traffic"),
        "traffic_ms": ("traffic", "stopping"),
        "stop_ms": ("stopping", "ended"),
        "total_ms": ("launched", "ended"),
    }
    for name, (begin, end) in spans.items():
        sheet.put(f"c_lifecycle.{name}", seen.span_ms(begin, end))
    drone = seen.last.get("drone", {})
    for name in ("handshakes", "rekeys", "rollbacks"):
        sheet.put(f"c_lifecycle.{name}", drone.get(name))
    sheet.put("c_lifecycle.clean_end", seen.clean_end)
