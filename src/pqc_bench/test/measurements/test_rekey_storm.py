# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The course of a storm, and a short one over the real nodes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from pqc_bench.harness.blaster import Blaster
from pqc_bench.harness.measured_nodes import MeasuredNodes
from pqc_bench.rekey.storm import Storm

from pqc_msgs.msg import HandshakeTiming, TunnelEvent, TunnelStatus
from pqc_msgs.srv import Rekey

SUITES = (
    "cs-mlkem768-aesgcm-mldsa65",
    "cs-mlkem512-ascon128a-falcon512",
    "cs-frodokem640aes-chacha20poly1305-mldsa44",
)


class LateView:
    """A view whose statuses come after the answer to the rekey, the ground's last."""

    in_step = MeasuredNodes.in_step

    def __init__(self) -> None:
        self.events: list[TunnelEvent] = []
        self.round_trip_s = 0.0005
        self.status = {"drone": _status(4, 0.001), "gcs": _status(4, 0.001)}
        self._coming = [("drone", _status(5, 0.0)), ("gcs", _status(5, 0.25))]

    def rekey(self, suite: str, _seconds: float) -> Rekey.Response:
        self.events.append(TunnelEvent(kind=TunnelEvent.REKEY_COMMITTED))
        return Rekey.Response(success=True, suite=suite, epoch=5, bytes=1424)

    def wait_until(self, condition: Callable[[], bool], _seconds: float, _what: str) -> None:
        while not condition():
            end, status = self._coming.pop(0)
            self.status[end] = status


def _status(epoch: int, keygen_s: float) -> TunnelStatus:
    timing = HandshakeTiming(keygen_s=keygen_s, prepared_ahead=keygen_s > 0.1)
    return TunnelStatus(session="00ff", epoch=epoch, suite=SUITES[0], handshake=timing)


def test_a_rekeys_times_are_those_of_its_own_keys() -> None:
    view: Any = LateView()
    storm = Storm(view, cast("Blaster", None), {}, lambda _number, _step: None)
    rekey = storm._switch(SUITES[0])
    assert rekey.keygen_ms == 250.0
    assert rekey.pooled
    assert (rekey.bytes, rekey.round_trip_ms) == (1424, 0.5)


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        get_package_prefix("pqc_tunnel")
    except PackageNotFoundError as missing:
        pytest.skip(f"needs the built workspace: {missing}")
    return subprocess.run(
        [sys.executable, "-m", "pqc_bench.bench_command", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_switching_suites_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "storm.json"
    run = bench("rekey", "--suites", ",".join(SUITES), "--out", str(file))
    result = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    assert result, run.stdout + run.stderr
    totals = result["totals"]
    assert {record["suite"] for record in result["suites"]} == set(SUITES)
    assert totals["rekeys"] == len(SUITES)
    assert totals["sent"] > 0
    assert (totals["lost"], totals["corrupted"], totals["rolled_back"]) == (0, 0, 0)
    assert not any(count for drops in totals["drops"].values() for count in drops.values())
    assert totals["in_step"]
    # Frames that a busy machine holds up are sent again, which only adds to the bytes.
    for record in result["suites"]:
        assert record["most_bytes"] >= record["fewest_bytes"] > 0.9 * record["arithmetic_bytes"]
    # Gaps and rekeys are longer on a busy machine, and most of the memory is that of the
    # middleware's libraries; no other fault may occur.
    others = ("longest gap", "took at most a round trip", "of the arithmetic", "MiB")
    assert all(any(words in fault for words in others) for fault in result["faults"])
    assert run.returncode == (1 if result["faults"] else 0)


def test_an_unknown_suite_is_one_clear_sentence() -> None:
    run = bench("rekey", "--suites", "cs-nothing")
    assert run.returncode == 2
    assert run.stderr == "bench: there is no suite 'cs-nothing'\n"
