# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import io
from dataclasses import replace

import pytest
from pqc_sim.demo.demonstration import TOUR, next_suite
from pqc_sim.demo.launched import FlowWatch
from pqc_sim.demo.live_view import (
    Event,
    Flow,
    Layer,
    LinkState,
    PathState,
    PolicyState,
    Snapshot,
    TunnelEnd,
    View,
    render_line,
)
from pqc_sim.demo.terminal import Terminal
from rich.cells import cell_len
from rich.console import Console
from rich.screen import Screen

VEHICLE = {
    "vehicle": {
        "armed": True,
        "mode": "AUTO",
        "height_m": 15.2,
        "speed_m_s": 5.0,
        "battery_v": 16.21,
        "battery_charge": 0.98,
        "mission_current": 3,
        "mission_items": 8,
    },
}
SHOT = Snapshot(
    phase="flying",
    elapsed_s=12.0,
    total_s=20.0,
    domain="42",
    drone=TunnelEnd("established", True, TOUR[0], level=3, epoch=1, rekeys=1, handshake_ms=12.3),
    flows=(
        Flow("drone → ground", 320.04, 6400, 6396, 4, 2),
        Flow("ground → drone", 1.0, 40, 40, 0, 0),
    ),
    links=(LinkState("lte", 91.04, 0.4, 0.012, 0.0),),
    subject=("heat", "66.0 °C   +12.0 °C/min"),
    policy=PolicyState("expert", "HOLD", "stress", "", "Warming fast. " * 12, "it is too soon"),
    next_suite=TOUR[1],
    dropped={"replay": 3},
    vehicle=VEHICLE,
    ground={"state": "watching", "parameters": 95, "mission_items": 8},
    events=tuple(Event("12:00:00", f"event {number}") for number in range(60)),
)
EMPTY = Snapshot(phase="starting", elapsed_s=0.0, total_s=20.0)


def screen(shot: Snapshot, width: int, height: int, **options: object) -> list[str]:
    """Return the lines that a terminal shows."""
    out = io.StringIO()
    console = Console(file=out, width=width, height=height, **options)  # type: ignore[arg-type]
    console.print(Screen(View(shot)), end="")
    return out.getvalue().split("\n")


def test_the_view_shows_traffic_tunnel_policy_and_vehicle() -> None:
    text = "\n".join(screen(SHOT, 120, 40))
    for part in (
        "flying   12 s of 20 s   ROS_DOMAIN_ID=42",
        "rate      sent  received      lost      loss corrupted",
        "drone → ground     320.0/s     6,400     6,396         4    0.06 %         2",
        "ground → drone       1.0/s        40        40         0    0.00 %         0",
        f"established   {TOUR[0]}   level 3",
        "epoch 1   rekeys 1   latest handshake 12.3 ms",
        "lte   round trip 91.0 ms, jitter 0.40 ms, loss 1.2 % → ground, 0.0 % → drone",
        "heat    66.0 °C   +12.0 °C/min",
        "policy  expert   HOLD (rule stress)",
        "Warming fast.",
        "held    it is too soon",
        "replay 3",
        "AUTO armed   15.2 m",
        "item 3 of 7",
        "95 parameters   8 mission items",
        "12:00:00  event 59",
        f"q end the flight   r rekey to {TOUR[1]}",
    ):
        assert part in text


def test_anchor_layers_and_fetches_are_one_line() -> None:
    layers = (
        Layer("lattices", "structured", "ML-KEM-768", "ephemeral"),
        Layer("codes", "goppa", "Classic McEliece-460896", "one_time"),
        Layer("codes", "goppa", "Classic McEliece-460896", "ephemeral"),
    )
    drone = replace(
        SHOT.end,
        protection="lattices + codes",
        anchor="one_time",
        layers=layers,
        fetches={"frodokem976aes": 0.434},
    )
    line = (
        "lattices + codes   anchor one-time   ML-KEM-768, Classic McEliece-460896   "
        "fetches frodokem976aes 43%"
    )
    shot = replace(SHOT, drone=drone)
    assert f"  layers  {line}" in [text.rstrip() for text in screen(shot, 160, 40)]
    assert line in render_line(shot)


def test_one_line_for_each_link() -> None:
    links = (LinkState("radio"), LinkState("mobile"))
    lines = screen(replace(SHOT, links=links), 120, 40)
    assert [line.split()[1] for line in lines if line.startswith("  link")] == ["radio", "mobile"]


def test_several_links_show_their_state_and_which_one_carries_the_traffic() -> None:
    paths = (
        PathState("lte", "down", False, 91.04, 1200, 1100),
        PathState("radio", "up", True, None, 300, 280),
    )
    text = "\n".join(screen(replace(SHOT, paths=paths), 120, 40))
    assert "lte       down     stands by            round trip 91.0 ms, 1,200 frames out" in text
    assert "radio     up       carries the traffic  round trip -, 300 frames out, 280 in" in text
    assert "lte down  radio up" in render_line(replace(SHOT, paths=paths))


def test_events_fill_the_height_that_is_left_the_newest_last() -> None:
    for height in (24, 40, 70):
        lines = screen(SHOT, 80, height)
        assert len(lines) == height
        assert lines[-1].startswith("q end")
        events = [line for line in lines if "event" in line]
        assert lines[-2].endswith(events[-1]) and events[-1].split() == ["12:00:00", "event", "59"]
        assert len(events) >= height - 20


def test_a_likely_cause_is_shown_while_there_is_one() -> None:
    cause = "UDP port 46012 is blocked or wrong"
    drone = TunnelEnd("lost", False, "", 0, 0, 0, None, likely_cause=cause)
    shot = replace(SHOT, drone=drone)
    assert f"  cause   {cause}" in "\n".join(screen(shot, 80, 24))
    assert cause in render_line(shot)


@pytest.mark.parametrize("shot", [SHOT, EMPTY])
def test_every_size_of_terminal_is_filled_exactly(shot: Snapshot) -> None:
    for width in (1, 2, 10, 20, 40, 79, 80, 120, 300):
        for height in (1, 2, 3, 5, 10, 24, 40):
            lines = screen(shot, width, height)
            assert len(lines) == height
            assert all(cell_len(line) <= width for line in lines)


def test_a_low_terminal_shows_traffic_state_and_the_newest_event() -> None:
    text = "\n".join(screen(SHOT, 40, 10))
    for part in ("drone → ground", "0.06 %", "established", "event 59", "q end the flight"):
        assert part in text


def test_the_view_works_before_any_message_has_arrived() -> None:
    assert "not started" in "\n".join(screen(EMPTY, 80, 24))
    assert "no tunnel" in render_line(EMPTY)


def test_colours_are_left_out_if_the_user_asks_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"force_terminal": True, "color_system": "standard"}
    assert "\x1b[32m" in "\n".join(screen(SHOT, 80, 24, **options))
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[32m" not in "\n".join(screen(SHOT, 80, 24, **options))


def test_a_log_gets_lines_without_escapes() -> None:
    out = io.StringIO()
    with Terminal(out) as terminal:
        terminal.show(replace(SHOT, events=SHOT.events[:2]))
        terminal.show(SHOT)
    lines = out.getvalue().splitlines()
    assert lines[:2] == ["12:00:00  event 0", "12:00:00  event 1"]
    assert lines[2] == render_line(SHOT)
    assert lines[3:] == [f"12:00:00  event {number}" for number in range(2, 60)]
    assert "\x1b" not in out.getvalue()


class Tty(io.StringIO):
    """A file that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("term", "in_place"), [("dumb", False), ("xterm", True)])
def test_a_dumb_terminal_gets_lines(
    monkeypatch: pytest.MonkeyPatch, term: str, in_place: bool
) -> None:
    monkeypatch.setenv("TERM", term)
    out = Tty()
    with Terminal(out) as terminal:
        terminal.show(SHOT)
    assert ("\x1b" in out.getvalue()) == in_place


SENDER = {"time_s": 7.0, "sent": {"datagrams": 0}}


def receiver(second: float, count: int, **more: int) -> dict[str, object]:
    received = {"datagrams": count, "missing": 0, "corrupted": 0} | more
    return {"time_s": 7.1, "uptime_s": second, "received": received}


def test_a_rate_needs_two_summaries_and_forgets_old_ones() -> None:
    watch = FlowWatch("")
    assert watch.update({}, {}).rate_hz is None
    for second in range(10):
        count = 100 * second if second < 5 else 400
        rate_hz = watch.update(SENDER, receiver(float(second), count)).rate_hz
        assert (rate_hz is None) == (second == 0)
        if second == 4:
            assert rate_hz == 100.0
    assert rate_hz == 0.0


def test_a_summary_read_twice_counts_once() -> None:
    watch = FlowWatch("")
    for _ in range(3):
        watch.update(SENDER, receiver(1.0, 10))
    assert watch.update(SENDER, receiver(2.0, 30)).rate_hz == 20.0


def test_datagrams_on_their_way_do_not_count_as_lost_but_those_of_an_outage_do() -> None:
    watch = FlowWatch("drone → ground")
    sender = {"time_s": 7.0, "sent": {"datagrams": 1000}}
    flow = watch.update(sender, receiver(1.0, 965, missing=5, corrupted=3))
    assert (flow.sent, flow.received, flow.lost, flow.corrupted) == (1000, 965, 5, 3)
    assert flow.loss == "0.52 %"
    # Sequence numbers have started again meanwhile.
    assert watch.update(sender, receiver(2.0, 750, missing=5)).lost == 250
    # Counts of different times can't be compared.
    assert watch.update({**sender, "time_s": 8.0}, receiver(3.0, 990)).lost == 250


def test_rekeys_go_round_the_usable_suites() -> None:
    usable = [TOUR[0], TOUR[2], TOUR[3]]
    assert next_suite(TOUR[0], usable) == TOUR[2]
    assert next_suite(TOUR[2], usable) == TOUR[3]
    assert next_suite(TOUR[3], usable) == TOUR[0]
    assert next_suite("another", usable) == TOUR[0]


def test_without_another_usable_suite_the_same_gets_fresh_keys() -> None:
    assert next_suite(TOUR[0], []) == ""
    assert next_suite(TOUR[0], [TOUR[0]]) == ""
