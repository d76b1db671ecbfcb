# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Fetches of a long key over a narrow link, beside data."""

from __future__ import annotations

import contextlib
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pqc_policy.policy.suites import find_suite
from pqc_sim.processes.run_fault import RunFault

from pqc_bench.harness.blaster import DIRECTIONS, Blaster
from pqc_bench.harness.measured_nodes import MeasuredNodes
from pqc_bench.harness.tunnel_pair import Plan, TunnelPair

SUITE = "cs-classicmceliece8192128-aesgcm-mldsa87"
_LIGHT = "cs-mlkem1024-aesgcm-mldsa87"
# IPv4 and UDP, as the link emulator counts them, and a sealed frame.
_FRAME_OVERHEAD, _IP_OVERHEAD = 25, 28
_BITS = 8
_WINDOWS = 4
_ESTABLISH_S, _POOL_S, _ANSWER_S = 60.0, 180.0, 180.0
# A queue that never overflows: what a stream adds to the delay is to be seen.
_QUEUE_BYTES = 1 << 20


@dataclass(frozen=True)
class Link:
    """A link of a rate, with the data on it."""

    kbit_per_s: int
    delay_ms: float  # one way
    loss_percent: float
    rate: int  # datagrams per second, each way
    size: int  # bytes of each

    @property
    def left_bytes_per_s(self) -> float:
        """The bytes per second that the data leaves free, less those lost."""
        data = self.rate * (self.size + _FRAME_OVERHEAD + _IP_OVERHEAD)
        return (1000.0 * self.kbit_per_s / _BITS - data) * (1.0 - self.loss_percent / 100.0)

    @property
    def conditions(self) -> dict[str, Any]:
        """The fields of its profile, beside the loss."""
        return {
            "rate_bits_per_s": 1000 * self.kbit_per_s,
            "delay_ms": self.delay_ms,
            "queue_bytes": _QUEUE_BYTES,
        }


def key_bytes() -> int:
    """Return the size of the key that is fetched, with its signature."""
    suite = find_suite(SUITE)
    assert suite is not None
    return suite.prekey_size


def fetch_beside_data(folder: Path, link: Link, fetches: int, quiet_s: float) -> dict[str, Any]:
    """Fetch the key over a link on which data flows, after as much data without a fetch."""
    plan = _plan(link.loss_percent, link.conditions)
    with _nodes(folder, plan) as (pair, view):

        def blaster() -> Blaster:
            return Blaster(pair.applications, link.rate, link.size, _WINDOWS, drain_s=2)

        with blaster() as generator:
            view.spin(quiet_s)
            quiet = generator.finish()
        found = []
        for _ in range(fetches):
            _change(view, _LIGHT)
            view.wait_for_pool(_POOL_S)
            with blaster() as generator:
                fetch_s, fetch_bytes = _fetch(view)
                report = generator.finish()
            found.append(
                {
                    "fetch_s": round(fetch_s, 4),
                    "bytes": fetch_bytes,
                    "share": round(key_bytes() / fetch_s / link.left_bytes_per_s, 4),
                    "p99_ms": _p99(report),
                    "sent": _sent(report),
                }
            )
    return {
        "loss_percent": link.loss_percent,
        "left_bytes_per_s": round(link.left_bytes_per_s),
        "quiet_p99_ms": _p99(quiet),
        "fetches": found,
        "share": statistics.median(fetch["share"] for fetch in found),
        "p99_growth_ms": round(
            statistics.median(fetch["p99_ms"] for fetch in found) - _p99(quiet), 3
        ),
    }


def _plan(loss_percent: float, conditions: dict[str, Any]) -> Plan:
    return Plan(
        suite=_LIGHT,
        both={"min_level": 1, "allow_experimental": True},
        drone={"prefetch.max_bytes": 0},  # the key is fetched when it is asked for
        gcs={"prekey_pool.suites": [SUITE, _LIGHT]},
        loss_percent=loss_percent,
        conditions=conditions,
    )


@contextlib.contextmanager
def _nodes(folder: Path, plan: Plan) -> Any:
    folder.mkdir()
    with TunnelPair(folder, plan) as pair, MeasuredNodes(pair.check) as view:
        view.wait_established(_ESTABLISH_S)
        if not view.wait_for_pool(_POOL_S):
            raise RunFault(f"the pool didn't fill within {_POOL_S:.0f} s")
        yield pair, view


def _change(view: MeasuredNodes, suite: str) -> Any:
    answer = view.rekey(suite, _ANSWER_S)
    if not answer.success:
        raise RunFault(f"the rekey to {suite} failed: {answer.message}")
    return answer


def _fetch(view: MeasuredNodes) -> tuple[float, int]:
    """Return how long the fetch of the key took, and its bytes on the air."""
    answer = _change(view, SUITE)
    if answer.timing.fetch_s == 0.0:
        raise RunFault("the drone had fetched the key before it was asked for")
    return answer.timing.fetch_s, int(answer.fetch_bytes)


def _p99(report: dict[str, Any]) -> float:
    """Return the 99th percentile of the delay on the way of the stream, to the drone."""
    return round(report["directions"]["gcs_to_drone"]["latency_ms"]["p99"], 3)


def _sent(report: dict[str, Any]) -> int:
    return sum(window[way]["sent"] for window in report["windows"] for way in DIRECTIONS)
