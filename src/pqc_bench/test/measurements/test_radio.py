# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The ground program over a line that loses and reorders, the verdict, and the text."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from exit_code import exit_code
from pqc_bench.radio import course
from pqc_bench.radio.course import Course
from pqc_bench.radio.dialogue import Dialogue
from pqc_bench.radio.ends import SerialEnd, UdpEnd
from pqc_bench.radio.ground_files import FileFetch, FilePut
from pqc_bench.radio.ground_log import LogFetch
from pqc_bench.radio.ground_parameters import ParameterFetch
from pqc_bench.radio.ground_program import GroundProgram
from pqc_bench.radio.link_run import Rekeys, run_courses
from pqc_bench.radio.result import judge, lines
from pqc_sim.vehicle.transfers import FILE, NETWORK_CHANNEL
from pqc_sim.vehicle.vehicle import Vehicle, VehicleOptions
from pqc_testing.ports import free_ports

_TICK_NS, _S = 10_000_000, 1_000_000_000
WALL_NS = 1_790_000_000 * _S


class Line:
    """A vehicle and a ground program with a line between them, under a virtual clock."""

    def __init__(self, loss: float = 0.0, most_bytes: int = 2000) -> None:
        self.now_ns = 0
        self.vehicle = Vehicle(VehicleOptions(rate_hz=100, channel=NETWORK_CHANNEL), 0, WALL_NS)
        self.program = GroundProgram(0, seed=1)
        self.change: Callable[[list[bytes]], list[bytes]] = lambda datagrams: datagrams
        self._dice, self._loss, self._most_bytes = Random(5), loss, most_bytes

    def run(self, over: Callable[[], bool], limit_s: float = 300.0) -> None:
        """Let time pass until it is over."""
        end_ns = self.now_ns + int(limit_s * _S)
        while not over() and self.now_ns < end_ns:
            self.now_ns += _TICK_NS
            self._down(self.vehicle.advance(self.now_ns))
            self._up(self.program.due(self.now_ns))

    def wait(self, seconds: float) -> None:
        self.run(lambda: False, seconds)

    def carry_on(self, dialogue: Dialogue) -> Dialogue:
        self._up(self.program.begin(dialogue, self.now_ns))
        self.run(lambda: dialogue.over(self.now_ns))
        return dialogue

    def _down(self, datagrams: list[bytes]) -> None:
        for datagram in self.change(self._left(datagrams)):
            self._up(self.program.handle(datagram, self.now_ns))

    def _up(self, datagrams: list[bytes]) -> None:
        for datagram in self._left(datagrams):
            self._down(self.vehicle.handle(datagram, self.now_ns))

    def _left(self, datagrams: list[bytes]) -> list[bytes]:
        return [
            datagram
            for datagram in datagrams
            if self._dice.random() >= self._loss and len(datagram) <= self._most_bytes
        ]


@pytest.fixture(params=[0.0, 0.1], ids=["no loss", "a tenth lost"])
def line(request: pytest.FixtureRequest) -> Line:
    return Line(request.param)


def test_all_parameters_arrive(line: Line) -> None:
    fetch = ParameterFetch()
    line.carry_on(fetch)
    assert fetch.received == set(range(1340))
    assert (fetch.asked_again > 0) == (line.program.lost > 0)


def test_the_log_arrives_whole(line: Line) -> None:
    fetch = LogFetch()
    line.carry_on(fetch)
    assert fetch.took_s is not None
    assert fetch.content == line.vehicle.transfers.log_content  # type: ignore[union-attr]


def test_a_file_arrives_whole(line: Line) -> None:
    fetch = FileFetch(FILE)
    line.carry_on(fetch)
    assert fetch.took_s is not None
    assert fetch.content == line.vehicle.transfers.ftp.files[FILE]  # type: ignore[union-attr]


def test_a_file_is_written_whole_in_datagrams_of_four_frames(line: Line) -> None:
    content = Random(3).randbytes(40_000)
    put = FilePut("a", content)
    line.carry_on(put)
    assert put.took_s is not None
    assert line.vehicle.transfers.ftp.files["a"] == content  # type: ignore[union-attr]


def test_an_upload_is_given_up_on_a_line_that_refuses_its_datagrams() -> None:
    line = Line(most_bytes=1000)
    put = FilePut("a", bytes(range(250)) * 160)
    line.carry_on(put)
    assert put.took_s is None
    assert 60 < line.now_ns / _S < 70


def swap_pairs() -> Callable[[list[bytes]], list[bytes]]:
    """Return a line on which of two datagrams the second one comes first."""
    waiting: list[bytes] = []

    def swap(datagrams: list[bytes]) -> list[bytes]:
        waiting.extend(datagrams)
        swapped = [] if len(waiting) < 2 else waiting[::-1]
        del waiting[: len(swapped)]
        return swapped

    return swap


def test_the_ground_counts_hundreds_of_messages_as_lost_for_each_that_another_overtakes() -> None:
    line = Line()
    line.wait(3.0)
    assert line.program.lost == 0
    received = line.program.received
    line.change = swap_pairs()
    line.wait(3.0)
    assert line.program.lost > 50 * (line.program.received - received)


def test_signed_messages_are_rejected_if_others_overtake_them_and_never_otherwise() -> None:
    line = Line()
    line.program.sign(line.now_ns, WALL_NS)
    line.wait(3.0)
    signing = line.program.signing
    assert signing.goodsig_count > 200
    assert signing.badsig_count == 0
    line.change = swap_pairs()
    line.wait(3.0)
    assert signing.badsig_count > 100


def test_a_serial_end_keeps_what_has_no_room_until_the_next_bytes() -> None:
    far, near = os.openpty()
    end = SerialEnd(os.ttyname(near))
    octets = bytes(range(256)) * 100
    end.send(octets)
    came = b""
    while len(came) < len(octets):
        came += os.read(far, 65536)
        end.send(b"")
    assert came == octets
    os.write(far, b"back")
    assert b"".join(end.receive()) == b"back"
    end.close()
    os.close(far)
    os.close(near)


def test_a_course_over_a_plain_socket_finds_all_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(course, "_SETTLE_S", 0.1)
    monkeypatch.setattr(course, "_MOST_TRIES", 2)
    drone, ground = free_ports(2)
    ends = (UdpEnd(drone, ground), UdpEnd(ground, None))
    whole = Course(ends, NETWORK_CHANNEL, seconds=3.0, stream=False)
    run_courses({"plain": whole}, {})
    found = whole.result()
    assert found["parameters"] == 1340
    assert found["log_whole"]
    assert found["ftp_whole"]
    assert found["ftp_upload_whole"]
    assert (found["lost"], found["signed_rejected"]) == (0, 0)
    assert found["received"] > 1340
    assert found["signed_accepted"] > 0
    assert found["commands_arrived"] == found["commands"] > 0
    for end in ends:
        end.close()


class Answers:
    """Tunnels that refuse every second rekey."""

    def __init__(self) -> None:
        self.asked = 0
        self.fourth = threading.Event()

    def ask(self, name: str, request: str) -> dict[str, Any]:
        assert (name, request) == ("drone1", "rekey")
        self.asked += 1
        if self.asked == 4:
            self.fourth.set()
        return {"success": self.asked % 2 == 1, "message": "busy"}


@pytest.mark.parametrize("even", [True, False])
def test_commands_come_evenly_or_each_at_any_moment_of_its_interval(even: bool) -> None:
    program = GroundProgram(0, seed=1)
    program.command_hz, program.even = 5, even
    for now_ms in range(100_000):
        program.due(now_ms * 1_000_000)
    sent_ms = [at_ns // 1_000_000 for at_ns in program.commands_ns.values()]
    assert len(sent_ms) == 500
    phases = {at_ms - 200 * number for number, at_ms in enumerate(sent_ms)}
    assert phases == {0} if even else len(phases) > 150 and phases <= set(range(201))


def test_rekeys_are_asked_for_until_the_end_and_refusals_are_kept() -> None:
    answers = Answers()
    rekeys = Rekeys(answers, 0.01)  # type: ignore[arg-type]
    assert answers.fourth.wait(60.0)
    rekeys.join()
    assert rekeys.asked == answers.asked
    assert rekeys.done == (answers.asked + 1) // 2
    assert set(rekeys.refusals) == {"busy"}
    assert len(rekeys.refusals) == answers.asked // 2


def test_without_a_period_no_rekey_is_asked_for() -> None:
    rekeys = Rekeys(Answers(), 0.0)  # type: ignore[arg-type]
    rekeys.join()
    assert rekeys.asked == 0


def result(link: str = "sik-57600", **changes: Any) -> dict[str, Any]:
    bare = {
        "received": 10_000,
        "lost": 1000,
        "ground_lost_share": 0.0909,
        "signed_accepted": 1000,
        "signed_rejected": 0,
        "parameters": 1340,
        "parameters_s": 171.0,
        "parameters_asked_again": 460,
        "log_s": 50.0,
        "log_whole": True,
        "ftp_s": 8.0,
        "ftp_whole": True,
        "ftp_upload_s": 20.0,
        "ftp_upload_whole": True,
        "command_p99_ms": 300.0,
        "commands": 100,
        "commands_arrived": 80,
    }
    good = {"parameters_s": 20.0, "log_s": 20.0, "ftp_s": 3.0, "command_p99_ms": 120.0}
    rekeys = {"rekeys_asked": 60, "rekeys_done": 60}
    return {
        "links": {link: {"bare": bare, "tunnel": {**bare, **good, **rekeys, **changes}}},
        "machine": "2 cores",
    }


def test_a_tunnel_that_is_better_than_the_bare_radio_passes() -> None:
    assert judge(result()) == []


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"ground_lost_share": 0.12}, "the ground counts 12.0 % of the messages as lost"),
        ({"signed_rejected": 1}, "1 signed messages were rejected and 1000 accepted"),
        ({"signed_accepted": 0}, "0 signed messages were rejected and 0 accepted"),
        ({"parameters": 1339}, "1339 of 1340 parameters arrived"),
        ({"parameters_s": 60.1}, "the parameters took 60.1 s, more than 60.0"),
        ({"log_whole": False}, "the log didn't arrive whole"),
        ({"ftp_upload_whole": False}, "the upload didn't arrive whole"),
        ({"command_p99_ms": 251.0}, "commands took 251.0 ms (p99), more than 250"),
        ({"command_p99_ms": None}, "commands took None ms"),
        ({"rekeys_done": 59}, "59 of 60 rekeys succeeded"),
    ],
)
def test_what_a_pilot_would_notice_is_a_fault(changes: dict[str, Any], sentence: str) -> None:
    (fault,) = judge(result(**changes))
    assert fault.startswith("sik-57600 tunnel: ")
    assert sentence in fault


def test_nothing_takes_longer_than_bare_on_other_links() -> None:
    (fault,) = judge(result("lte", log_s=56.1))
    assert "lte tunnel: the log took 56.1 s, more than 56.0" in fault
    (fault,) = judge(result("telemetry-radio", ftp_upload_s=23.1))
    assert "the upload took 23.1 s, more than 23.0" in fault


def test_an_upload_over_a_radio_that_both_ends_share_may_take_longer() -> None:
    assert judge(result(ftp_upload_s=40.0)) == []


def test_the_table_has_bare_and_tunnel_side_by_side() -> None:
    text = "\n".join(lines(result(ftp_upload_s=None)))
    assert re.search(r"parameters +1340, 171\.0 s +1340, 20\.0 s", text)
    assert re.search(r"upload of 40 kB +20\.0 s +never", text)
    assert re.search(r"rekeys +- +60 of 60", text)


def test_the_tunnels_own_counts_stand_beside_that_of_the_ground() -> None:
    shaped = {"offered": 400, "sent": 380, "conflated": 10, "full": 4, "stale": 6, "oversize": 0}
    end = {"shaped": {"telemetry": shaped}, "drops": {"queue_full": 3}}
    text = "\n".join(lines(result(counts={"drone1": end, "gcs": end})))
    assert re.search(r"left out, by the drone's tunnel +- +20 \(5\.0%\)", text)
    assert re.search(r"dropped by the tunnels +- +6 queue full", text)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--links", "lte,sik-5760"], "there is no link 'sik-5760'; did you mean 'sik-57600'?"),
        (["--links", "lte+radio"], "there is no link 'lte+radio'"),
        (["--links", ","], "',' names no link"),
        (["--rekey-every", "1e300"], "'1e300' isn't a time from 0 to 3600 s"),
    ],
)
def test_a_bad_argument_is_one_clear_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(["radio", *arguments]) == 2
    assert sentence in capsys.readouterr().err
