# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What follows from the statuses of a flight, the verdict, the text, and the traffic."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest
from exit_code import exit_code
from pqc_bench.harness.blaster import DIRECTIONS, Applications
from pqc_bench.layers import layers_text
from pqc_bench.layers.command import LAYERED
from pqc_bench.layers.crossed import air_share, lost_to_keys
from pqc_bench.layers.model import _plan, differences, modelled_seconds
from pqc_bench.layers.one_time_ratchet import OneTimeRatchet
from pqc_bench.layers.protection_seen import Seen, drops_of_keys, protection, seen
from pqc_bench.layers.run import compared, repeated
from pqc_bench.layers.traffic import Traffic
from pqc_bench.layers.verdict import FETCHED, ONE_TIME, PLAIN, judge
from pqc_sim.datagrams.udp_port import Endpoint
from pqc_testing.ports import LOOPBACK, free_ports

UP, DOWN = DIRECTIONS
BEGIN_S = 1000.0
LATTICES = "lattices structured"


def status(at_s: float, *classes: str, age_s: float = 0.0, **changes: Any) -> Seen:
    """Return what a status says so many seconds after the session's begin."""
    values: dict[str, Any] = {
        "at_s": BEGIN_S + at_s,
        "session": "a1",
        "key_age_s": age_s,
        "renewals": 0,
        "classes": classes,
        "fetching": False,
        "exchange_bytes": 0,
        "fetch_bytes": 0,
    }
    return Seen(**{**values, **changes})


FLIGHT = [
    status(-2.0, session="", age_s=-1.0),
    status(0.1, ONE_TIME, LATTICES, age_s=0.1, exchange_bytes=40),
    status(3.0, ONE_TIME, LATTICES, age_s=3.0, fetching=True, fetch_bytes=9000, exchange_bytes=40),
    status(4.2, ONE_TIME, LATTICES, PLAIN, renewals=1, exchange_bytes=16_040, fetch_bytes=20_000),
    status(24.2, ONE_TIME, LATTICES, PLAIN, age_s=20.0, fetching=True, renewals=1),
    status(25.2, ONE_TIME, LATTICES, PLAIN, age_s=21.0, renewals=1, fetch_bytes=21_000),
    status(
        64.0,
        *(ONE_TIME, LATTICES, PLAIN, FETCHED),
        age_s=1.0,
        renewals=2,
        exchange_bytes=17_040,
        fetch_bytes=21_000,
    ),
]


def test_a_class_came_when_the_keys_that_send_depend_on_it_the_first_time() -> None:
    expected = {ONE_TIME: 0.1, LATTICES: 0.1, PLAIN: 4.2, FETCHED: 64.0}
    assert protection(FLIGHT)["seconds_to"] == expected


def test_keys_count_as_old_only_while_a_key_is_fetched() -> None:
    assert protection(FLIGHT)["renewal_gap_s"] == 20.0
    calm = [one for one in FLIGHT if not one.fetching]
    assert protection(calm)["renewal_gap_s"] is None


def test_renewals_and_bytes_count_from_the_begin_of_the_session() -> None:
    found = protection(FLIGHT)
    assert (found["renewals"], found["exchange_bytes"], found["fetch_bytes"]) == (2, 17_000, 21_000)
    assert found["sessions"] == 1
    assert protection([*FLIGHT, status(70.0, session="b2")])["sessions"] == 2


def test_without_a_session_nothing_came() -> None:
    found = protection(FLIGHT[:1])
    assert (found["seconds_to"], found["sessions"], found["renewals"]) == ({}, 0, 0)


def message(**changes: Any) -> Any:
    """Return a status as the drone's node publishes it."""
    layers = [
        SimpleNamespace(family="codes", form="goppa", key="one_time"),
        SimpleNamespace(family="lattices", form="plain", key="ephemeral"),
    ]
    values: dict[str, Any] = {
        "stamp": SimpleNamespace(sec=1000, nanosec=500_000_000),
        "session": "a1",
        "key_age_s": 0.5,
        "rekeys": 3,
        "layers": layers,
        "fetches": [],
        "exchange_bytes": 7,
        "fetch_bytes": 8,
    }
    return SimpleNamespace(**{**values, **changes})


def test_a_status_tells_the_classes_of_its_layers() -> None:
    one = seen(message())
    assert (one.at_s, one.renewals, one.exchange_bytes, one.fetch_bytes) == (1000.5, 3, 7, 8)
    assert one.classes == (ONE_TIME, PLAIN)


@pytest.mark.parametrize(
    ("progress", "ready", "fetching"),
    [(-1.0, False, False), (0.0, False, True), (0.6, False, True), (0.6, True, False)],
)
def test_a_fetch_is_under_way_until_the_key_is_there(
    progress: float, ready: bool, fetching: bool
) -> None:
    fetches = [SimpleNamespace(progress=progress, ready=ready)]
    assert seen(message(fetches=fetches)).fetching == fetching


def test_drops_for_want_of_keys_are_those_of_unknown_and_damaged_frames() -> None:
    drops = SimpleNamespace(unknown=1, auth_fail=2, decrypt_fail=4, no_session=8, replay=100)
    assert drops_of_keys(SimpleNamespace(drops=drops)) == 15


def test_a_share_of_the_air_is_that_of_the_fuller_direction_or_of_both_on_one_channel() -> None:
    ways = {UP: {"rate_bits_per_s": 8000}, DOWN: {"rate_bits_per_s": 80_000}}
    assert air_share(ways, 100, 500, 10.0) == pytest.approx(0.01)
    assert air_share(ways, 100, 5000, 10.0) == pytest.approx(0.05)
    assert air_share({**ways, "half_duplex": True}, 100, 500, 10.0) == pytest.approx(0.06)


def counts(up: int = 0, down: int = 0, corrupted: int = 0) -> dict[str, dict[str, int]]:
    """Return the counts of an emulator that has lost so many."""
    return {UP: {"lost": up, "corrupted": corrupted}, DOWN: {"lost": down}}


def test_what_the_link_took_or_damaged_is_not_lost_to_keys() -> None:
    before, after = counts(up=5), counts(up=15, down=1, corrupted=2)
    missing = {UP: 9, DOWN: 1}
    assert lost_to_keys(2, missing, before, after, shaped=False) == 0
    assert lost_to_keys(5, missing, before, after, shaped=False) == 3
    assert lost_to_keys(2, {UP: 11, DOWN: 4}, before, after, shaped=False) == 1 + 3
    assert lost_to_keys(2, {UP: 99, DOWN: 4}, before, after, shaped=True) == 0


class Asked:
    """Answers as the service does, by hand."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.answer: Any = None

    def __call__(self, **request: Any) -> Any:
        self.requests.append(request)
        self.answer = None
        return SimpleNamespace(done=lambda: self.answer is not None, result=lambda: self.answer)


def test_a_ratchet_that_is_refused_is_asked_for_again_until_one_succeeds() -> None:
    asked = Asked()
    ratchet = OneTimeRatchet(asked)
    ratchet.work(10.0)
    assert asked.requests == [{"ratchet": True, "one_time_key": True}]
    ratchet.work(10.5)
    asked.answer = SimpleNamespace(success=False, message="a rekey is under way")
    ratchet.work(10.6)
    assert (ratchet.refused, len(asked.requests)) == ("a rekey is under way", 1)
    ratchet.work(11.0)
    asked.answer = SimpleNamespace(success=True, message="")
    ratchet.work(14.4)
    ratchet.work(20.0)
    assert (ratchet.took_s, ratchet.refused, len(asked.requests)) == (3.4, "", 2)


def test_the_model_differs_by_its_share_beyond_a_cycle_of_the_policy() -> None:
    measured = {"a": 100.0, "b": 1.0, "c": 0.0, "d": 5.0, "f": 3.0}
    modelled = {"a": 85.0, "b": 2.0, "c": 2.0, "e": 5.0, "f": 1.5}
    expected = {"a": 0.15, "b": 0.0, "c": 2.0, "d": 1.0, "e": 1.0, "f": 0.5}
    assert differences([measured], modelled) == expected


def test_the_model_is_right_between_the_times_of_repeated_flights() -> None:
    flights = [{"a": 9.0, "b": 4.0, "c": 4.0}, {"a": 14.0, "b": 4.0}]
    modelled = {"a": 12.0, "b": 8.0, "c": 30.0}
    assert differences(flights, modelled) == {"a": 0.0, "b": 1.0, "c": 0.0}


def test_repeated_flights_are_each_judged_and_told_from_the_least_time_to_the_most() -> None:
    late, without = flight(seconds_to={**CAME, PLAIN: 6.0}), flight(one_time_s=None)
    flown = [{"layers": layers, "without": without} for layers in (flight(), late)]
    both = {"links": {"wifi": repeated(flown, {**CAME, LATTICES: 0.0, PLAIN: 4.0})}}
    assert judge(both) == [f"wifi: {PLAIN} came after 6 s, more than 5"]
    assert "3 s to 6 s (4 s)" in "\n".join(layers_text.lines({**both, "strategy": LAYERED}))


def test_the_model_flies_over_the_same_links() -> None:
    for link in ("lte-handover", "sik-57600"):
        found = modelled_seconds(link, LAYERED, 60.0)
        assert found[ONE_TIME] == found[LATTICES] == 0.0


def test_in_the_model_a_radio_has_the_rate_of_its_line_and_plain_lattices_come_in_time() -> None:
    assert _plan("sik-57600", 1.0).rate_bytes_s == 5760.0
    assert modelled_seconds("sik-57600", LAYERED, 480.0)[PLAIN] >= 400.0


def test_the_model_knows_the_rate_that_a_link_has_on_the_way_down() -> None:
    # A FrodoKEM key comes as fast as on a link of 4 Mbit/s, which has not shown its rate yet.
    assert 5.0 < modelled_seconds("satellite", LAYERED, 60.0)[PLAIN] < 10.0


def flight(**changes: Any) -> dict[str, Any]:
    return {
        "seconds": 600.0,
        "seconds_to": {ONE_TIME: 0.0, LATTICES: 0.0, PLAIN: 3.0, FETCHED: 15.0},
        "sessions": 1,
        "renewals": 9,
        "renewal_gap_s": 31.0,
        "exchange_bytes": 20_000,
        "fetch_bytes": 600_000,
        "command_p99_ms": 30.0,
        "lost_share": 0.003,
        "lost": 0,
        "air_share": 0.015,
        "one_time_s": 3.0,
        "one_time_refused": "",
        **changes,
    }


def result(link: str = "wifi", modelled: dict[str, float] | None = None, **changes: Any) -> Any:
    layers = flight(**changes)
    without = flight(command_p99_ms=25.0, one_time_s=None)
    model = layers["seconds_to"] if modelled is None else modelled
    one = compared({"layers": layers, "without": without}, model)
    return {"links": {link: one}, "strategy": "layered"}


CAME = {ONE_TIME: 0.0, PLAIN: 3.0, FETCHED: 15.0}


@pytest.mark.parametrize(
    ("link", "changes", "fault"),
    [
        ("wifi", {"seconds_to": {**CAME, PLAIN: 6.0}}, f"{PLAIN} came after 6 s, more than 5"),
        ("lte", {"seconds_to": {ONE_TIME: 0.0, PLAIN: 9.0}}, f"{FETCHED} never came"),
        ("satellite", {"seconds_to": {ONE_TIME: 0.0}}, f"{PLAIN} never came"),
        ("sik-57600", {"seconds_to": {PLAIN: 30.0}}, f"{ONE_TIME} never came"),
        ("wifi", {"one_time_s": 11.0}, "the ratchet with a one-time key took 11 s, more than 10"),
        (
            "wifi",
            {"one_time_s": None, "one_time_refused": "none is left"},
            "the ratchet with a one-time key failed: none is left",
        ),
        ("wifi", {"renewal_gap_s": 61.0}, "the keys were 61 s old while a key was fetched"),
        ("wifi", {"lost": 2}, "2 datagrams got lost"),
        ("wifi", {"lost_share": 0.03}, "2.7 % more messages were lost than without layers"),
        ("wifi", {"command_p99_ms": 45.5}, "commands took 20.5 ms longer (p99), more than 20"),
        ("wifi", {"command_p99_ms": None}, "no command arrived"),
        ("wifi", {"air_share": 0.021}, "keys took 2.1 % of the air, more than 2"),
        ("wifi", {"sessions": 2}, "there were 2 sessions"),
        (
            "telemetry-radio",
            {"seconds_to": {ONE_TIME: 0.0, PLAIN: 300.0}, "modelled": {ONE_TIME: 0.0, PLAIN: 400}},
            f"{PLAIN} came after 300 s, in the model after 400 s",
        ),
        (
            "telemetry-radio",
            {"seconds_to": {ONE_TIME: 0.0}, "modelled": {ONE_TIME: 0.0, PLAIN: 400}},
            f"{PLAIN} came never, in the model after 400 s",
        ),
    ],
)
def test_each_goal_that_is_missed_is_a_fault(
    link: str, changes: dict[str, Any], fault: str
) -> None:
    assert judge(result(link, **changes)) == [f"{link}: {fault}"]


def test_a_good_flight_has_no_fault_and_a_short_one_misses_only_what_had_time_to_come() -> None:
    assert judge(result()) == []
    soon = {ONE_TIME: 0.0, PLAIN: 3.0}
    assert judge(result(seconds=15.0, seconds_to=soon)) == []
    assert judge(result(renewal_gap_s=None)) == []


def test_the_result_has_a_column_for_each_link() -> None:
    both = result()
    both["links"]["sik-57600"] = result("sik-57600", {}, seconds_to={ONE_TIME: 0.0})["links"][
        "sik-57600"
    ]
    text = "\n".join(layers_text.lines(both))
    assert "layered" in text and "wifi" in text and "sik-57600" in text
    assert "lattices plain (model)" in text and "3 s (3 s)" in text and "- (-)" in text
    assert "30.0 (25.0) ms" in text


def test_the_vehicle_is_in_the_air_and_commands_are_timed() -> None:
    plain = free_ports(4)
    where = Applications(*(Endpoint(LOOPBACK, port) for port in plain))
    with contextlib.ExitStack() as stack:
        ends = [stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in "ab"]
        for end, port in zip(ends, plain, strict=False):
            end.bind((LOOPBACK, port))
            end.settimeout(0.1)
        traffic = Traffic(where, stack)
        over = threading.Event()
        stack.callback(over.set)
        for end, other, to in ((ends[0], ends[1], plain[3]), (ends[1], ends[0], plain[2])):
            threading.Thread(target=carry, args=(end, other, to, over), daemon=True).start()
        traffic.speak()
        traffic.pass_until(time.monotonic_ns() + 1_000_000_000)
        found = traffic.result()
    assert found["commands"] >= found["commands_arrived"] >= 1
    assert found["lost_by_sequence"] == {UP: 0, DOWN: 0}
    assert found["received"][UP] > 10
    assert found["command_p99_ms"] is not None


def carry(end: socket.socket, other: socket.socket, to: int, over: threading.Event) -> None:
    """Pass on what arrives, until it is over."""
    while not over.is_set():
        with contextlib.suppress(TimeoutError, OSError):
            other.sendto(end.recv(2048), (LOOPBACK, to))


@pytest.mark.parametrize(
    "arguments", [["--links", "wify"], ["--seconds", "0"], ["--strategy", "layred"]]
)
def test_a_wrong_argument_is_a_wrong_usage(arguments: list[str]) -> None:
    assert exit_code(["layers", *arguments]) == 2
