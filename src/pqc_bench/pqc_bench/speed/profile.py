# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A profile for the policy, with this machine's times in place of the shipped ones."""

from __future__ import annotations

from statistics import median
from typing import Any

from pqc_policy.policy.profile import FORMAT, ProfileFault, parse_profile
from pqc_policy.policy.suites import KEMS, SIGNATURES, SUITES, find_suite
from pqc_sim.processes.run_fault import RunFault

from pqc_bench.speed.busy_core import BusyCore
from pqc_bench.speed.cipher_work import shares_of_a_core

_NS_PER_MS = 1e6
KEM_OPERATIONS = ("keygen", "encapsulate", "decapsulate")
SIGNATURE_OPERATIONS = ("sign", "verify")
_RUN = (
    "Interruptions: the longest gap in {rate} datagrams/s each way during a rekey; the longest"
    " without a rekey was {steady_gap_ms:.0f} ms."
)
_POWER = (
    "A busy core takes {watts:.3g} W more than an idle one ({source}). Power of the cipher: at"
    " {rate} datagrams/s each way of {size} bytes."
)


def policy_profile(
    report: dict[str, Any], name: str, rekeys: dict[str, Any], core: BusyCore | None = None
) -> dict[str, Any]:
    """Return the document of a profile with the medians of a report of pqc_speed.

    `rekeys` is a result of `bench rekey`: what a rekey takes besides its primitives, and of each
    suite the time and bytes of a rekey and the longest time without data while one went on. With
    `core` the profile has powers, too. Raises RunFault if an algorithm wasn't measured.
    """
    done = [one for one in rekeys["suites"] if _is_measured(one)]
    if not done:
        raise RunFault("the result of the rekeys has none that was done")
    document: dict[str, Any] = {
        "format": FORMAT,
        "name": name,
        "source": _source(report, rekeys, core),
        "kems": operation_times(report["kems"], KEMS, KEM_OPERATIONS),
        "signatures": operation_times(report["signatures"], SIGNATURES, SIGNATURE_OPERATIONS),
        "fixed_ms": round(median(one["handshake_ms"] - one["primitives_ms"] for one in done), 3),
        "interruption_ms": max(one["longest_gap_ms"] for one in done),
        "suites": {one["suite"]: _of_suite(one) for one in done},
    }
    if core is not None:
        _add_power(document, core, report["aeads"], rekeys["totals"])
    try:
        parse_profile(document)
    except ProfileFault as fault:
        raise RunFault(f"the policy doesn't accept the profile: {fault}") from fault
    return document


def _source(report: dict[str, Any], rekeys: dict[str, Any], core: BusyCore | None) -> str:
    machine, totals = report.get("machine", "unknown"), rekeys["totals"]
    sentences = [f"pqc_speed on this machine ({machine}), medians of up to {report['count']}."]
    if cut := _cut(report):
        sentences.append(f"Fewer samples of: {', '.join(cut)}.")
    sentences.append(_RUN.format(**totals))
    if lacking := [one["suite"] for one in rekeys["suites"] if not _is_measured(one)]:
        sentences.append(f"No rekey measured to: {', '.join(lacking)}.")
    if core is not None:
        sentences.append(_POWER.format(watts=core.watts, source=core.source, **totals))
    return " ".join(sentences)


def _add_power(
    document: dict[str, Any], core: BusyCore, ciphers: list[dict[str, Any]], totals: dict[str, Any]
) -> None:
    shares = shares_of_a_core(ciphers, totals["rate"], totals["size"])
    document["busy_w"] = core.watts
    document["power_error_w"] = core.watts * max((error for _, error in shares.values()), default=0)
    for suite in SUITES:
        if suite.aead in shares:
            own = document["suites"].setdefault(suite.id, {})
            own["cipher_w"] = core.watts * shares[suite.aead][0]


def _is_measured(record: dict[str, Any]) -> bool:
    """Return whether a rekey to the suite was done; a new session, at the last epoch, is none."""
    return record["rekeys"] > record["new_sessions"]


def _of_suite(record: dict[str, Any]) -> dict[str, float]:
    own = {"interruption_ms": record["longest_gap_ms"], "rekey_ms": record["handshake_ms"]}
    suite = find_suite(record["suite"])
    if suite is not None:
        # The prekey comes apart, ahead of the rekey.
        own["rekey_bytes"] = record["bytes"] + suite.prekey_bytes
    return own


def operation_times(
    measured: list[dict[str, Any]], names: tuple[str, ...], operations: tuple[str, ...]
) -> dict[str, dict[str, float]]:
    """Return the medians in ms of each algorithm's operations; RunFault if one is missing."""
    by_name = {subject["algorithm"]: subject["operations"] for subject in measured}
    times: dict[str, dict[str, float]] = {}
    for name in names:
        medians = {
            operation["operation"]: operation["median_ns"]
            for operation in by_name.get(name, [])
            if operation["samples"]
        }
        if missing := [operation for operation in operations if operation not in medians]:
            raise RunFault(
                f"a profile needs every KEM and signature, but {name} has no {missing[0]} time"
            )
        times[name] = {
            f"{operation}_ms": round(medians[operation] / _NS_PER_MS, 6) for operation in operations
        }
    return times


def _cut(report: dict[str, Any]) -> list[str]:
    return [
        f"{subject['algorithm']} {operation['operation']} ({operation['samples']})"
        for subjects in ("kems", "signatures")
        for subject in report[subjects]
        for operation in subject["operations"]
        if operation["cut"]
    ]
