# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Peers in comparison: figures over all rounds, and that each peer carries datagrams."""

from __future__ import annotations

import argparse
import contextlib
import json
import re
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import yaml
from pqc_bench.harness import network
from pqc_bench.harness.network import Network
from pqc_bench.peers import comparison_text, installed, run
from pqc_bench.peers import contest as contests
from pqc_bench.peers.command import configure
from pqc_bench.peers.contest import Contest, started
from pqc_bench.peers.installed import why_not
from pqc_bench.peers.measure import Load, delays, loss_percent, measure
from pqc_bench.peers.peer import ENDS, cpu_of, pin, wait_until_through
from pqc_bench.peers.registry import PEERS, make_peer
from pqc_bench.peers.rounds import Round, spread, sum_up, sum_up_searches
from pqc_sim.pair.programs import tunnel_program
from pqc_sim.processes.run_fault import RunFault

_SUITE = "cs-mlkem512-chacha20poly1305-mldsa44"
# The nodes are launched in the tests of the other measurements.
_QUICK = [name for name in PEERS if name != "node"]


NOTHING: dict[str, Any] = {
    "complete": True,
    "loads": {},
    "left_out": {},
    "builds": {},
    "against": "relay",
}


def _measured(cpu: float, delay: float, invalid: str = "") -> dict[str, Any]:
    return {
        "cpu_us_per_packet_both": cpu,
        "owd_p50_ms": delay,
        "owd_p99_ms": 2.0 * delay,
        "owd_p999_ms": 4.0 * delay,
        "loss_percent": 0.0,
        "invalid": invalid,
    }


def _round(slowness: float, invalid: str = "") -> Round:
    """Return a round on a machine that is so much slower than usual."""
    return {
        "direct": _measured(0.0, 0.25 * slowness),
        "relay": _measured(20.0 * slowness, 1.0 * slowness),
        "node": _measured(21.0 * slowness, 1.25 * slowness, invalid),
    }


def _report(count: int, lost: int = 0) -> dict[str, Any]:
    """Return a blaster's report with so many delays per way, and one slower way."""

    def latency(slowness: float) -> dict[str, Any]:
        return {
            "latency_ms": {
                "count": count,
                "p50": 0.1 * slowness,
                "p99": 0.2 * slowness,
                "p999": 0.3 * slowness,
            }
        }

    def window(name: str, lost: int) -> dict[str, Any]:
        return {
            "name": name,
            "drone_to_gcs": {"sent": 320, "lost": lost},
            "gcs_to_drone": {"sent": 320, "lost": 0},
        }

    return {
        "directions": {"drone_to_gcs": latency(1.0), "gcs_to_drone": latency(2.0)},
        "windows": [window("", 96), window("measured", lost)],
    }


def test_a_percentile_is_told_where_there_are_enough_datagrams_for_it() -> None:
    assert delays(_report(1000)) == {"owd_p50_ms": 0.2, "owd_p99_ms": 0.4, "owd_p999_ms": 0.6}
    assert delays(_report(416)) == {"owd_p50_ms": 0.2, "owd_p99_ms": 0.4, "owd_p999_ms": None}
    assert delays(_report(99))["owd_p99_ms"] is None
    assert delays(_report(0))["owd_p50_ms"] is None


def test_loss_is_that_of_the_window_not_of_the_warm_up() -> None:
    assert loss_percent(_report(320)) == 0.0
    assert loss_percent(_report(320, lost=32)) == 10.0


def test_rounds_without_a_percentile_are_left_out_of_it() -> None:
    without = _round(1.0)
    for figures in without.values():
        figures["owd_p999_ms"] = None
    some = sum_up([without, _round(2.0)])["node"]
    assert some["owd_p999_ms"]["rounds"] == 1
    assert some["ratio_owd_p999_ms"]["rounds"] == 1
    assert some["owd_p50_ms"]["rounds"] == 2
    none = sum_up([without])["node"]
    assert none["owd_p999_ms"] is None
    assert none["added_owd_p999_ms"] is None


def test_ratios_are_taken_within_rounds() -> None:
    # Medians of the peers over all rounds differ as much as the machine does; the ratio doesn't.
    node = sum_up([_round(1.0), _round(5.0), _round(30.0)])["node"]
    assert node["cpu_us_per_packet_both"]["max"] == pytest.approx(630.0)
    for figure in ("min", "median", "max"):
        assert node["ratio_cpu_us_per_packet_both"][figure] == pytest.approx(1.05)
        assert node["ratio_owd_p99_ms"][figure] == pytest.approx(1.25)


def test_what_is_added_to_a_delay_is_beyond_applications_that_send_to_each_other() -> None:
    peers = sum_up([_round(1.0)])
    assert peers["node"]["added_owd_p50_ms"]["median"] == pytest.approx(1.0)
    assert peers["relay"]["added_owd_p999_ms"]["median"] == pytest.approx(3.0)


def test_invalid_rounds_are_counted_and_left_out_of_the_figures() -> None:
    node = sum_up([_round(1.0), _round(9.0, "the generator fell behind")])["node"]
    assert node["invalid_rounds"] == 1
    assert node["cpu_us_per_packet_both"]["rounds"] == 1
    assert node["cpu_us_per_packet_both"]["max"] == pytest.approx(21.0)
    assert sum_up([_round(1.0, "late")])["node"]["loss_percent"] is None


def test_cpu_is_not_compared_with_that_of_an_overloaded_peer() -> None:
    overloaded = _round(1.0)
    overloaded["relay"]["loss_percent"] = 60.0
    peers = sum_up([overloaded])
    assert peers["relay"]["overloaded_rounds"] == 1
    assert peers["node"]["ratio_cpu_us_per_packet_both"] is None
    assert peers["node"]["ratio_owd_p50_ms"] is not None


def test_there_is_no_ratio_without_the_relay() -> None:
    alone = [{"node": one["node"]} for one in (_round(1.0), _round(2.0))]
    assert sum_up(alone)["node"]["ratio_cpu_us_per_packet_both"] is None


def test_a_spread_is_median_quartiles_and_extremes() -> None:
    assert spread([5.0, 1.0, 2.0, 4.0, 3.0]) == {
        "median": 3.0,
        "p25": 2.0,
        "p75": 4.0,
        "min": 1.0,
        "max": 5.0,
        "rounds": 5,
    }
    assert spread([]) is None


def _searches(relay: int, node: int) -> dict[str, Any]:
    return {
        "relay": {"sustained_per_s": relay, "lower_bound": True, "stopped_by": ["generator"]},
        "node": {"sustained_per_s": node, "lower_bound": False, "stopped_by": ["loss"]},
    }


def test_sustained_rates_are_compared_within_rounds() -> None:
    found = sum_up_searches([_searches(10_000, 9_500), _searches(90_000, 85_500)])
    assert found["node"]["ratio_to_relay"]["min"] == pytest.approx(0.95)
    assert found["node"]["ratio_to_relay"]["max"] == pytest.approx(0.95)
    assert found["node"]["ratio_to_unbatched_relay"] is None
    assert (found["relay"]["lower_bound"], found["node"]["lower_bound"]) == (True, False)


@pytest.mark.parametrize("interrupted", [False, True])
def test_rounds_of_all_starts_count_together(
    interrupted: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nobody = contextlib.nullcontext(Contest({}, {"openvpn": "absent"}))
    starts = [nobody] * 3 if not interrupted else [nobody] * 2 + [KeyboardInterrupt()]
    monkeypatch.setattr(run, "started", Mock(side_effect=starts))
    monkeypatch.setattr(run, "SETTLE_S", 0.0)
    monkeypatch.setattr(Contest, "rounds", lambda *_: [_round(1.0)])
    configure(parser := argparse.ArgumentParser())
    words = "--starts 3 --rates 320 --sizes 64 --no-neighbours --no-saturation --against relay"
    result = run._measure(parser.parse_args(words.split()), tmp_path)
    complete = len(starts) - interrupted
    assert result["loads"]["320/s 64 B"]["relay"]["loss_percent"]["rounds"] == complete
    assert result["left_out"] == {"openvpn": "absent"}
    assert result["complete"] != interrupted


def test_the_table_names_what_was_left_out() -> None:
    result = {
        "starts": 1,
        "rounds": 1,
        "seconds": 1.0,
        "pinned": True,
        "against": "relay",
        "machine": "2 cores",
        "loads": {"320/s 64 B": sum_up([_round(1.0), _round(1.0, "late")])},
        "saturation": {"64": sum_up_searches([_searches(50_000, 60_000)])},
        "left_out": {"openvpn": "openvpn isn't installed"},
    }
    text = "\n".join(comparison_text.lines(result))
    assert "openvpn: left out: openvpn isn't installed" in text
    assert "1.05 [1.05, 1.05]" in text
    assert "1 invalid" in text
    assert re.search(r"relay +at least +50,000 \[50,000, 50,000\]", text)
    assert re.search(r"node .* 1\.000 \[1\.000, 1\.000\]", text)
    assert "added p50 ms" in text


def test_a_vpn_that_is_not_installed_is_told_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(installed.shutil, "which", lambda _name: None)
    assert why_not("boringtun") == "boringtun-cli and wg and ip aren't installed"
    monkeypatch.setattr(installed.shutil, "which", lambda name: None if name == "openvpn" else name)
    assert why_not("openvpn") == "openvpn isn't installed"


@pytest.mark.parametrize("name", _QUICK)
def test_each_peer_carries_datagrams_both_ways(name: str, tmp_path: Path) -> None:
    if why := why_not(name):
        pytest.skip(why)
    with make_peer(name, tmp_path / name, _SUITE) as peer:
        wait_until_through(peer)
        pin(peer)
        result = measure(peer, Load(1000, 64), 1.0)
        used = cpu_of(peer)
    assert result["packets"] > 0
    assert result["loss_percent"] < 100.0
    for end in ENDS:
        assert (used[end] > 0.0) == (name != "direct")
        assert result["cpu_us_per_packet"][end] <= 1e6 * used[end]
    assert result["owd_p50_ms"] > 0.0
    # A machine that stalls may leave too few datagrams for it.
    assert result["owd_p99_ms"] is None or result["owd_p99_ms"] >= result["owd_p50_ms"]


def test_one_that_fails_is_left_out_and_the_others_go_on() -> None:
    def measure_one(peer: Any) -> dict[str, Any]:
        if peer == "mortal":
            raise RunFault("it died")
        return {"peer": peer}

    peers: dict[str, Any] = {"relay": "immortal", "node": "mortal", "direct": "nothing"}
    contest = Contest(peers, {})
    rounds = contest.rounds(2, "a load", measure_one)
    assert [list(found) for found in rounds] == [["relay", "direct"], ["relay", "direct"]]
    assert list(contest.peers) == ["relay", "direct"]
    assert contest.left_out == {"node": "it failed: it died"}
    result = {**NOTHING, "left_out": contest.left_out}
    assert run._judge(result) == ["node is left out: it failed: it died"]


def test_the_order_is_another_after_each_start() -> None:
    def orders() -> list[Any]:
        met: list[Any] = []

        def measure_one(peer: Any) -> dict[str, Any]:
            met.append(peer)
            return {}

        peers: dict[str, Any] = {"relay": "relay", "node": "node", "direct": "direct"}
        Contest(peers, {}).rounds(20, "a load", measure_one)
        return met

    assert orders() != orders()


def test_one_that_cannot_start_is_left_out_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(name: str, _folder: Path, _suite: str, _builds: object) -> Any:
        if name == "relay":
            raise PermissionError(1, "Operation not permitted")
        return make_peer(name, tmp_path / name, _SUITE)

    monkeypatch.setattr(contests, "make_peer", make)
    with started(["relay", "direct"], tmp_path, _SUITE) as contest:
        assert list(contest.peers) == ["direct"]
    assert "Operation not permitted" in contest.left_out["relay"]


def test_what_a_network_refuses_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network.Network, "inside", lambda _self: contextlib.nullcontext())
    monkeypatch.setattr(network, "_OPTIONS", tmp_path)
    with pytest.raises(RunFault, match="net/ipv4/nothing can't be set: No such file"):
        Network().set_option("ipv4/nothing", "1")
    with pytest.raises(RunFault, match="'no-such-program' can't be run"):
        Network().run("no-such-program")
    with pytest.raises(RunFault, match=r"'cat /nowhere' failed: .*No such file"):
        Network().run("cat", "/nowhere")
    assert Network().run("cat", given="a key") == "a key"


def _builds(newer: float) -> list[Round]:
    """Return rounds of two builds; the newer one needs so much of what the older one needs."""
    return [
        {"old": _measured(20.0 * slow, slow), "new": _measured(20.0 * slow * newer, slow)}
        for slow in (1.0, 2.0, 5.0, 9.0)
    ]


def test_a_build_is_compared_with_another_one_within_rounds() -> None:
    peers = sum_up(_builds(0.9), "old")
    assert peers["new"]["ratio_cpu_us_per_packet_both"]["max"] == pytest.approx(0.9)
    assert peers["old"]["ratio_owd_p50_ms"]["median"] == pytest.approx(1.0)


def test_a_build_that_needs_more_than_the_older_one_is_a_fault() -> None:
    names = {"builds": {"old": "/old", "new": "/new"}, "against": "old"}

    def faults(newer: float, **changes: Any) -> list[str]:
        loads = {"320/s 64 B": sum_up(_builds(newer), "old")}
        return run._judge({**NOTHING, **names, "loads": loads, **changes})

    assert faults(0.99) == []
    assert faults(1.0) == []
    (fault,) = faults(1.1)
    assert fault == (
        "new needs more than old under 320/s 64 B: CPU per packet, 1.10 of it (1.10 to 1.10)"
    )
    assert faults(1.1, against="relay") == []
    assert faults(0.9, left_out={"old": "it doesn't work here: no"}) == [
        "old is left out: it doesn't work here: no"
    ]


def test_a_folder_without_a_build_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(RunFault, match=r"has no build of pqc_tunnel: .*/bin/pqc' is missing"):
        make_peer("old", tmp_path / "old", _SUITE, {"old": tmp_path})


def test_another_build_carries_datagrams(tmp_path: Path) -> None:
    prefix = tunnel_program("pqc").parents[2]
    with make_peer("same", tmp_path / "same", _SUITE, {"same": prefix}) as peer:
        wait_until_through(peer)
        result = measure(peer, Load(1000, 64), 0.5)
    assert result["packets"] > 0
    assert result["loss_percent"] < 100.0


def test_another_build_gets_the_parameters_that_it_knows(tmp_path: Path) -> None:
    """Version 0.2 has a TCP port and knows no limit of lateness."""
    names = ("datagram_port", "handshake_port", "suite", "drones", "drone.NAME.plaintext_port")
    known = [{"name": name} for name in names]
    bin_folder = tmp_path / "prefix" / "bin"
    bin_folder.mkdir(parents=True)
    for name in ("pqc", "pqc_tunneld"):
        program = bin_folder / name
        program.write_text(f"#!/bin/sh\nprintf '%s' '{json.dumps(known)}'\n", encoding="ascii")
        program.chmod(0o755)
    make_peer("old", tmp_path / "old", _SUITE, {"old": tmp_path / "prefix"})

    def written(end: str) -> dict[str, Any]:
        content = yaml.safe_load((tmp_path / "old" / f"{end}.yaml").read_text(encoding="utf-8"))
        parameters: dict[str, Any] = content["/**/tunnel"]["ros__parameters"]
        return parameters

    drone, gcs = written("drone"), written("gcs")
    assert drone.keys() == {"datagram_port", "handshake_port", "suite"}
    assert drone["handshake_port"] == gcs["handshake_port"] > 0
    of_drones = {name for name in gcs if name.startswith("drone")}
    assert of_drones == {"drones", "drone.drone1.plaintext_port"}
    assert gcs.keys() - of_drones <= {"datagram_port", "handshake_port", "suite"}
