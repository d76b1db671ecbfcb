# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The clock of the computer is set while policy, advisor and sensing run, and inputs arrive."""

from __future__ import annotations

import os
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builtin_interfaces.msg import Time
from flight import MLKEM768
from policy_graph import Graph
from ros_graph import NodeProcess, own_graph

from pqc_msgs.msg import PolicyDecision, TunnelStatus
from pqc_msgs.srv import HoldSuite

# The tests of the ends have it, too.
SOURCES = list(Path(__file__).resolve().parents[3].glob("*/test/support/set_clock.cpp"))
DAY_S = 86_400

if not SOURCES:
    pytest.skip("needs the source tree", allow_module_level=True)
SENSED = ("link", "battery", "thermal", "armed", "session", "advisor", "computer")
ENOUGH = 2  # decisions after each change of the clock


class SetClock:
    """The real-time clock of processes that are started with `environment`."""

    def __init__(self, folder: Path) -> None:
        library, self._seconds = folder / "set_clock.so", folder / "seconds"
        subprocess.run(["c++", "-shared", "-fPIC", "-o", library, SOURCES[0], "-ldl"], check=True)
        self.by_s = 0
        self.set(0)
        self.environment = {"LD_PRELOAD": str(library), "SET_CLOCK_BY": str(self._seconds)}

    def set(self, by_s: int) -> None:
        with self._seconds.open("r+b" if self._seconds.exists() else "wb") as file:
            file.write(struct.pack("l", by_s))
        self.by_s = by_s

    def now(self) -> Time:
        ns = time.time_ns() + self.by_s * 1_000_000_000
        return Time(sec=ns // 1_000_000_000, nanosec=ns % 1_000_000_000)


@pytest.fixture
def clock(tmp_path: Path) -> SetClock:
    return SetClock(tmp_path)


class Inputs(Graph):
    """Publishes calm inputs with stamps of a clock that is set."""

    def __init__(self, clock: SetClock) -> None:
        super().__init__()
        self._set_clock, self._began_s, self._sent = clock, time.monotonic(), 0
        self.simulated.silent = frozenset({"computer"})  # is sensed
        self.node.create_timer(0.2, self._publish_all)

    def _publish(self, topic: str, **fields: Any) -> None:
        publisher = self._publishers[topic]
        if topic in self.simulated.silent:
            return
        message = publisher.msg_type(**fields)
        message.stamp = self._set_clock.now()
        if isinstance(message, TunnelStatus):
            message.key_age_s = time.monotonic() - self._began_s
        publisher.publish(message)


@pytest.fixture
def inputs(tmp_path: Path, clock: SetClock) -> Iterator[Inputs]:
    with own_graph(tmp_path):
        before = dict(os.environ)
        os.environ.update(clock.environment)
        clock.set(-int(time.time()) + 100)  # a board without a battery begins in 1970
        nodes = [
            NodeProcess(f"{name}_node", tmp_path / f"{name}.log", "-r", "__ns:=/pqc", *more)
            for name, more in (
                ("policy", ("-p", f"state_dir:={tmp_path}")),
                ("advisor", ()),
                ("sensing", ()),
            )
        ]
        os.environ.clear()
        os.environ.update(before)
        graph = Inputs(clock)
        yield graph
        graph.close()
        for node in nodes:
            print(node.output)
            node.close()


def wrong_age(decision: PolicyDecision) -> list[str]:
    ages = {name: getattr(decision.inputs, f"{name}_age_s") for name in SENSED}
    return [f"{name} {age:.1f}" for name, age in ages.items() if not 0.0 <= age <= 2.0]


def test_whatever_the_clock_is_set_to_a_decision_comes_each_second(
    clock: SetClock, inputs: Inputs
) -> None:
    decisions = inputs.decisions
    inputs.wait_for(lambda: decisions and not wrong_age(decisions[-1]), "a complete decision")
    request = HoldSuite.Request(suite=MLKEM768, seconds=3600.0)
    assert inputs.call(HoldSuite, "hold_suite", request).success
    inputs.wait_for(lambda: decisions[-1].inputs.held_suite == MLKEM768, "the hold")
    for by_s in (0, -60, 0, -DAY_S):  # from 1970, a minute back and forward, a day back
        seen = len(decisions)
        clock.set(by_s)
        began_s = time.monotonic()
        inputs.wait_for(lambda seen=seen: len(decisions) >= seen + ENOUGH, "decisions")
        assert time.monotonic() - began_s < 5 * ENOUGH
        for decision in decisions[seen:]:
            assert decision.rule == "operator", decision.reason
            assert decision.inputs.held_suite == MLKEM768
            assert not wrong_age(decision)
        newest = decisions[-1].stamp
        assert abs(newest.sec - clock.now().sec) <= 2
