# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the same traffic over one sort of link, bare and through the tunnel, at the same time."""

from __future__ import annotations

import contextlib
import select
import threading
import time
from pathlib import Path
from typing import Any

from pqc_sim.pair.links import SERIAL, end_parameters
from pqc_sim.processes.run_fault import RunFault
from pqc_sim.vehicle.transfers import NETWORK_CHANNEL, serial_channel
from pqc_testing.ports import LOOPBACK, free_ports

from pqc_bench.harness.daemons import Daemons
from pqc_bench.harness.emulated_link import start_link
from pqc_bench.harness.places import GROUND, Places
from pqc_bench.radio.course import Course
from pqc_bench.radio.ends import End, SerialEnd, UdpEnd

DRONE = "drone1"
BARE, TUNNEL, STEADY = "bare", "tunnel", "tunnel_without_rekeys"


class Rekeys:
    """Asks the drone for a rekey, again and again, until it is stopped."""

    def __init__(self, tunnels: Daemons, period_s: float) -> None:
        """Begin, if there is a period."""
        self.asked = self.done = 0
        self.refusals: list[str] = []
        self._tunnels, self._period_s = tunnels, period_s
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        if period_s:
            self._thread.start()

    def stop(self) -> None:
        self._end.set()

    def join(self) -> None:
        self.stop()
        if self._thread.ident is not None:
            self._thread.join()

    def _work(self) -> None:
        due = time.monotonic() + self._period_s / 2
        while not self._end.wait(max(0.0, due - time.monotonic())):
            due += self._period_s
            self.asked += 1
            try:
                answer = self._tunnels.ask(DRONE, "rekey")
            except (OSError, ValueError, RunFault) as error:
                answer = {"success": False, "message": f"no answer: {error}"}
            if answer["success"]:
                self.done += 1
            else:
                self.refusals.append(str(answer.get("message")))


def measure_link(folder: Path, name: str, seconds: float, rekey_s: float) -> dict[str, Any]:
    """Return the results by way: bare, tunnelled, and tunnelled without rekeys if there are any."""
    with contextlib.ExitStack() as stack:
        courses = {BARE: _bare(folder / BARE, name, seconds, stack)}
        rekeys: dict[str, Rekeys] = {}
        tunnels: dict[str, Daemons] = {}
        for way in (TUNNEL, STEADY) if rekey_s else (TUNNEL,):
            courses[way], tunnels[way] = _tunnelled(folder / way, name, seconds, stack)
        for way, daemons in tunnels.items():
            rekeys[way] = Rekeys(daemons, rekey_s if way == TUNNEL else 0.0)
            stack.callback(rekeys[way].stop)
        run_courses(courses, rekeys)
        none = {"rekeys_asked": 0, "rekeys_done": 0}
        results = {way: {**course.result(), **none} for way, course in courses.items()}
        for way, asking in rekeys.items():
            results[way] |= {
                "rekeys_asked": asking.asked,
                "rekeys_done": asking.done,
                "rekey_refusals": asking.refusals,
                "counts": _shaped(tunnels[way]),
            }
    return results


def run_courses(courses: dict[str, Course], rekeys: dict[str, Rekeys]) -> None:
    """Let all go their way in turn, so that a busy machine delays them alike."""
    while running := [course for course in courses.values() if not course.over]:
        wake_ns = min(course.next_ns() for course in running)
        wait_s = max(0, wake_ns - time.monotonic_ns()) / 1e9
        select.select([end for course in running for end in course.ends], [], [], wait_s)
        for course in running:
            course.work()
        for way, asking in rekeys.items():
            if courses[way].over:
                asking.stop()
    for asking in rekeys.values():
        asking.join()


def _bare(folder: Path, name: str, seconds: float, stack: contextlib.ExitStack) -> Course:
    link, _ = start_link(folder, name, stack)
    if link.link.type == SERIAL:
        ends: tuple[End, End] = (SerialEnd(link.drone), SerialEnd(link.ground))
        course = Course(ends, serial_channel(link.link.baud), seconds, stream=True)
    else:
        ends = (UdpEnd(int(link.drone), int(link.emulator)), UdpEnd(int(link.ground), None))
        course = Course(ends, NETWORK_CHANNEL, seconds, stream=False)
    for end in ends:
        stack.callback(end.close)
    return course


def _tunnelled(
    folder: Path, name: str, seconds: float, stack: contextlib.ExitStack
) -> tuple[Course, Daemons]:
    link, _ = start_link(folder, name, stack)
    tunnels = Daemons(folder / "tunnels", [DRONE], stack, Places())
    vehicle, drone, program, ground, spare = free_ports(5)
    common = {"datagram_port": spare}
    tunnels.start(
        GROUND,
        {
            **common,
            "plaintext_port": ground,
            "plaintext_peer_address": LOOPBACK,
            "plaintext_peer_port": program,
            **end_parameters([link], "gcs", "failover"),
        },
    )
    tunnels.start(
        DRONE,
        {
            **common,
            "gcs_address": LOOPBACK,
            "plaintext_port": drone,
            "plaintext_peer_address": LOOPBACK,
            "plaintext_peer_port": vehicle,
            "mirror_port": 0,
            **end_parameters([link], "drone", "failover"),
        },
    )
    tunnels.wait_encrypted(DRONE)
    ends = (UdpEnd(vehicle, drone), UdpEnd(program, ground))
    for end in ends:
        stack.callback(end.close)
    return Course(ends, NETWORK_CHANNEL, seconds, stream=False), tunnels


def _shaped(tunnels: Daemons) -> dict[str, Any]:
    """Return what each end sent and left out of each class, and its drops."""
    counts = {}
    for end in (GROUND, DRONE):
        status = tunnels.ask(end, "status")
        drops = status["peers"][0]["traffic"]["drops"]
        counts[end] = {
            "shaped": status["links"][0].get("shaped", {}),
            "drops": {cause: count for cause, count in drops.items() if count},
        }
    return counts
