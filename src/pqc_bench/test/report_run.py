# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Generated runs: cells made of the example, each with figures of its own."""

from __future__ import annotations

import copy
import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from observed_cell import example_metrics
from pqc_bench.cell.scenario import BASELINE, scenario_text
from pqc_bench.cell.suite_set import choose_suites, set_of
from pqc_bench.matrix.run_file import RunFile
from pqc_bench.metrics import write_metrics
from pqc_policy.policy.suites import AEADS, find_suite

SCENARIOS = ("baseline", "light", "stand-in-heavy")
# Two KEM families, all levels, three ciphers.
FEW = "cs-mlkem*-*-mldsa*,cs-classicmceliece*-aesgcm-mldsa*,cs-hqc128-*-falcon512"
_SLOWER = dict(zip(SCENARIOS, (1.0, 1.1, 1.6), strict=True))
_KEM_MS = {
    "mlkem512": (0.02, 0.02, 0.02, 800, 768),
    "mlkem768": (0.03, 0.03, 0.03, 1184, 1088),
    "mlkem1024": (0.04, 0.04, 0.05, 1568, 1568),
    "hqc128": (2.8, 5.6, 9.0, 2249, 4433),
    "hqc192": (8.4, 16.8, 25.0, 4522, 8978),
    "hqc256": (15.0, 31.0, 47.0, 7245, 14421),
    "classicmceliece348864": (80.0, 0.06, 20.0, 261120, 96),
    "classicmceliece460896": (250.0, 0.1, 45.0, 524160, 156),
    "classicmceliece8192128": (420.0, 0.2, 90.0, 1357824, 208),
}
_SIGNATURE_MS = {
    "mldsa44": (0.3, 0.08, 2420),
    "mldsa65": (0.5, 0.11, 3309),
    "mldsa87": (0.6, 0.17, 4627),
    "falcon512": (0.4, 0.05, 752),
    "falcon1024": (0.8, 0.1, 1462),
    "sphincs128s": (520.0, 0.6, 7856),
    "sphincs192s": (1020.0, 0.9, 16224),
    "sphincs256s": (880.0, 1.3, 29792),
}


def jitter(*parts: str) -> float:
    """Return a number from 0 to 1 that depends on the words alone."""
    return zlib.crc32(" ".join(parts).encode()) / 2**32


def make_run(
    folder: Path,
    suites: str = FEW,
    scenarios: Sequence[str] = SCENARIOS,
    speed: bool = True,
    power_w: float | None = None,
    temperature_c: float | None = None,
    slower: float = 1.0,
    repeat: int = 1,
) -> Path:
    """Write the folder of a run whose cells were all completed; return it."""
    run = RunFile(
        suites=choose_suites(suites),
        scenarios=list(scenarios),
        loads=["mavlink"],
        links=["clean"],
        seconds=2.0,
        suites_asked=suites,
        repeat=repeat,
        started="2026-11-21T20:00:00+00:00",
        commit="ded7ba2c0d1e0f",
        machine="2 cores, x86-64, virtual machine",
    )
    folder.mkdir(parents=True, exist_ok=True)
    run.write(folder / "run.json")
    entries = []
    example = example_metrics()
    for cell in run.cells():
        metrics = _cell(example, cell.id, cell.scenario, cell.suite, slower)
        if power_w is not None:
            _sense(metrics, "p_power_energy.power_w", power_w * (1.0 + jitter(cell.id) / 10.0))
        if temperature_c is not None:
            _sense(metrics, "n_system_drone.temperature_c", temperature_c * _SLOWER[cell.scenario])
        file = folder / "cells" / cell.id / "metrics.json"
        file.parent.mkdir(parents=True)
        write_metrics(file, metrics)
        entries.append(
            {"cell": cell.id, "status": "completed", "reason": "", "seconds": 5.0, "flags": []}
        )
    (folder / "state.json").write_text(json.dumps({"format": 1, "cells": entries}))
    if speed:
        (folder / "speed.json").write_text(json.dumps(_speed(slower)))
    return folder


def set_state(folder: Path, cell: str, status: str, reason: str) -> None:
    path = folder / "state.json"
    state = json.loads(path.read_text())
    for entry in state["cells"]:
        if entry["cell"] == cell:
            entry.update(status=status, reason=reason)
    path.write_text(json.dumps(state))


def raw_cells(folder: Path) -> list[dict[str, Any]]:
    """Return the metrics of all cells, read without the report's help."""
    return [json.loads(file.read_text()) for file in sorted(folder.glob("cells/**/metrics.json"))]


def _cell(
    example: dict[str, Any], cell_id: str, scenario: str, suite_id: str, slower: float
) -> dict[str, Any]:
    metrics = copy.deepcopy(example)
    suite = find_suite(suite_id)
    assert suite is not None
    factor = slower * _SLOWER[scenario]
    metrics["a_run_context"] |= {"cell": cell_id, "suite": suite_id, "scenario": scenario}
    if scenario != BASELINE:
        metrics["a_run_context"]["scenario_command"] = scenario_text(scenario)
        del metrics["metric_status"]["a_run_context.scenario_command"]
    metrics["b_crypto_identity"] |= {
        "kem": suite.kem,
        "kem_family": str(suite.family),
        "signature": suite.signature,
        "signature_family": str(suite.signature_family),
        "aead": suite.aead,
        "aead_key_bits": AEADS[suite.aead].key_bits,
        "level": suite.level,
        "tier": suite.tier or 1,
        "set": set_of(suite),
        "experimental": suite.experimental,
    }
    if not suite.tier:
        metrics["b_crypto_identity"]["tier"] = 1
    keygen, encapsulate, decapsulate, key, ciphertext = _KEM_MS[suite.kem]
    sign, verify, signature = _SIGNATURE_MS[suite.signature]
    times = {
        "keygen_ms": keygen,
        "sign_ms": sign,
        "verify_ms": verify,
        "encapsulate_ms": encapsulate,
        "decapsulate_ms": decapsulate,
    }
    metrics["e_primitives"] |= {name: ms * factor for name, ms in times.items()} | {
        "kem_public_key_bytes": key,
        "kem_ciphertext_bytes": ciphertext,
        "signature_bytes": signature,
    }
    primitives = sum(times.values()) * factor
    other = (1.5 + jitter(cell_id) + key / 2e5) * factor
    metrics["d_handshake"] |= {
        "total_ms": primitives + other,
        "primitives_ms": primitives,
        "other_ms": other,
        "other_share": other / (primitives + other),
    }
    gap = 10.0 + 4.0 * jitter(cell_id, "gap")
    metrics["f_rekey"] |= {
        "total_ms": 3.0 + primitives - factor * (keygen + sign),
        "longest_gap_ms": gap,
        "longest_gap_steady_ms": 10.4 + jitter(cell_id, "steady"),
        "gap_ratio": gap / 10.4,
    }
    metrics["h_latency_jitter"]["drone_to_gcs"]["p99_ms"] = 1.0 + jitter(cell_id, "p99")
    plane = metrics["g_data_plane"]
    plane["drone_to_gcs"]["lost"] = int(7.0 * jitter(cell_id, "loss"))
    lost, offered = (
        sum(plane[way][name] for way in ("drone_to_gcs", "gcs_to_drone"))
        for name in ("lost", "offered")
    )
    plane["loss_ratio"] = lost / offered
    for path in ("g_data_plane.drone_to_gcs.lost", "g_data_plane.loss_ratio"):
        zero = {"status": "zero", "reason": "It was counted, and there was none."}
        metrics["metric_status"].pop(path, None)
        if not lost:
            metrics["metric_status"][path] = zero
    for end in ("n_system_drone", "o_system_gcs"):
        metrics[end]["machine_cpu_percent"]["mean"] = 25.0 * factor + 5.0 * jitter(cell_id, end)
        metrics[end]["machine_cpu_percent"]["max"] = 60.0 * factor + 9.0 * jitter(cell_id, "most")
        metrics[end]["cpu_us_per_packet"] = 55.0 * factor + 9.0 * jitter(cell_id, end, "packet")
    return metrics


def _sense(metrics: dict[str, Any], path: str, mean: float) -> None:
    category, _, name = path.partition(".")
    figures = {"count": 18, "mean": mean, "min": mean, "max": mean, "stddev": 0.1}
    metrics[category][name] = figures
    for figure in figures:
        metrics["metric_status"].pop(f"{path}.{figure}")
    if category == "p_power_energy":
        metrics[category]["source"] = "hwmon"
        metrics["metric_status"].pop(f"{category}.source")


def _operation(name: str, ns: float, text_bytes: int | None = None) -> dict[str, Any]:
    size = {} if text_bytes is None else {"text_bytes": text_bytes}
    spread = {"p5_ns": 0.9 * ns, "median_ns": ns, "p95_ns": 1.3 * ns, "max_ns": 2.0 * ns}
    spread |= {"p25_ns": 0.95 * ns, "p75_ns": 1.1 * ns}
    return {"operation": name, "samples": 200, "cut": False, "failed": 0, **size, **spread}


def _speed(slower: float) -> dict[str, Any]:
    kem_operations = ("keygen", "encapsulate", "decapsulate")
    aeads = {"aesgcm": 220.0, "chacha20poly1305": 420.0, "ascon128a": 300.0}
    return {
        "format": 1,
        "count": 200,
        "kems": [
            {
                "algorithm": kem,
                "name": kem,
                "operations": [
                    _operation(name, 1e6 * ms * slower)
                    for name, ms in zip(kem_operations, times, strict=False)
                ],
            }
            for kem, times in _KEM_MS.items()
        ],
        "signatures": [
            {
                "algorithm": signature,
                "name": signature,
                "operations": [
                    _operation(name, 1e6 * ms * slower)
                    for name, ms in zip(("sign", "verify"), times, strict=False)
                ],
            }
            for signature, times in _SIGNATURE_MS.items()
        ],
        "aeads": [
            {
                "algorithm": aead,
                "name": aead,
                "operations": [
                    _operation(name, (ns + size / 3.0) * slower, size)
                    for size in (64, 256, 1024, 4096)
                    for name in ("seal", "open")
                ],
            }
            for aead, ns in aeads.items()
        ],
    }
