# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pqc_sim.demo.demonstration import TOUR, next_suite
from pqc_sim.demo.launched import Rate
from pqc_sim.demo.live_view import Snapshot, TunnelEnd, cut, render, render_line

VEHICLE = {
    "sent": {"datagrams": 6400},
    "received": {"datagrams": 40, "corrupted": 0},
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
TAP = {"sent": {"datagrams": 40}, "received": {"datagrams": 6398, "corrupted": 2}}
SHOT = Snapshot(
    phase="flying",
    elapsed_s=12.0,
    total_s=20.0,
    drone=TunnelEnd("established", True, TOUR[0], level=3, epoch=1, rekeys=1, handshake_ms=12.3),
    rtt_ms=0.4,
    down_hz=320.04,
    dropped={"replay": 3},
    vehicle=VEHICLE,
    tap=TAP,
    ground={"state": "watching", "parameters": 95, "mission_items": 8},
    events=tuple(f"event {number}" for number in range(20)),
)


def test_the_live_view_shows_tunnel_traffic_vehicle_and_events() -> None:
    text = "\n".join(render(SHOT))
    for part in (
        "12 s of 20 s",
        "established",
        TOUR[0],
        "level 3",
        "epoch 1",
        "12.30 ms",
        "0.40 ms",
        "320.0/s   6,400 sent   6,398 received   2 corrupted",
        "replay 3",
        "AUTO armed   15.2 m",
        "item 3 of 7",
        "95 parameters   8 mission items",
        "event 19",
    ):
        assert part in text


def test_only_the_newest_events_are_shown() -> None:
    assert "event 13" not in "\n".join(render(SHOT))


def test_the_live_view_works_before_any_message_has_arrived() -> None:
    empty = Snapshot(phase="starting", elapsed_s=0.0, total_s=0.0)
    assert "not started" in "\n".join(render(empty))
    assert "no tunnel" in render_line(empty)


def test_a_log_gets_render_line() -> None:
    assert "\n" not in render_line(SHOT)
    assert "\x1b" not in render_line(SHOT)


def test_lines_are_cut_to_the_width_but_colours_stay_whole() -> None:
    assert cut("\x1b[1mabcdef\x1b[0m", 3) == "\x1b[1mabc\x1b[0m"
    assert cut("abc", 10) == "abc"


def test_a_rate_needs_two_summaries_and_forgets_old_ones() -> None:
    rate = Rate()
    assert rate.update({}) is None
    for second in range(10):
        count = 100 * second if second < 5 else 400
        value = rate.update({"uptime_s": float(second), "received": {"datagrams": count}})
        assert (value is None) == (second == 0)
        if second == 4:
            assert value == 100.0
    assert value == 0.0


def test_a_summary_read_twice_counts_once() -> None:
    rate = Rate()
    for _ in range(3):
        rate.update({"uptime_s": 1.0, "received": {"datagrams": 10}})
    assert rate.update({"uptime_s": 2.0, "received": {"datagrams": 30}}) == 20.0


def test_rekeys_go_round_the_usable_suites() -> None:
    usable = [TOUR[0], TOUR[2], TOUR[3]]
    assert next_suite(TOUR[0], usable) == TOUR[2]
    assert next_suite(TOUR[2], usable) == TOUR[3]
    assert next_suite(TOUR[3], usable) == TOUR[0]
    assert next_suite("another", usable) == TOUR[0]


def test_without_another_usable_suite_the_same_gets_fresh_keys() -> None:
    assert next_suite(TOUR[0], []) == ""
    assert next_suite(TOUR[0], [TOUR[0]]) == ""
