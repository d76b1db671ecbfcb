# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The physics of the flights, and the simulated tunnel."""

from __future__ import annotations

from random import Random

import pytest
from pqc_policy.policy.profile import shipped_profile
from pqc_sim.flights.simulated_tunnel import Kind, State, Tunnel
from pqc_sim.physics.air import Air, RadioPath, Spell, both
from pqc_sim.physics.computer import Computer, ComputerType
from pqc_sim.physics.link_estimator import LinkEstimator
from pqc_sim.physics.radio import Radio
from pqc_sim.physics.timeline import line

MLKEM768 = "cs-mlkem768-aesgcm-mldsa65"
HQC192 = "cs-hqc192-aesgcm-mldsa65"
MCELIECE3 = "cs-classicmceliece460896-aesgcm-mldsa65"
STEP_S = 0.05


def test_a_computer_settles_where_its_power_and_the_air_put_it() -> None:
    kind = ComputerType()
    computer = Computer(kind, 20.0, 0.0, 0.0)
    for _ in range(round(2000 / STEP_S)):
        computer.step(1.0, 20.0, 0.5, True, STEP_S)
    expected_c = 20.0 + 0.5 * kind.sun_k + kind.flying_k_per_w * (kind.idle_w + kind.busy_w)
    assert computer.temperature_c == pytest.approx(expected_c, abs=0.1)


def test_a_timeline_is_straight_between_its_points_and_level_beyond_them() -> None:
    timeline = line((10, 1.0), (20, 3.0))
    assert [timeline.at(s) for s in (0, 10, 15, 20, 99)] == [1.0, 1.0, 2.0, 3.0, 3.0]


def test_the_path_loses_the_configured_share_and_everything_in_an_outage() -> None:
    path = RadioPath(
        "up", Air(loss=0.3), (both(100.0, 200.0, Air(out_every_s=10.0, out_s=4.0)),), Random(1)
    )
    lost = []
    for tick in range(4000):
        path.step(tick / 20)
        lost.append(path.delivered(tick / 20) is None)
    assert sum(lost[:2000]) / 2000 == pytest.approx(0.3, abs=0.03)
    assert sum(lost[2000:]) / 2000 == pytest.approx(0.4, abs=0.01)


def test_the_link_estimator_reports_loss_gaps_and_blackouts_over_five_seconds() -> None:
    estimator = LinkEstimator(0.0)
    for number in range(1000):
        if number % 4 and not 500 <= number < 650:
            estimator.note(number / 100, number, 96)
    view = estimator.view(10.0)
    assert view.blackouts == 1
    assert view.longest_silence_s == pytest.approx(1.51)
    assert view.gap_p95_s == pytest.approx(0.02)
    assert view.loss == pytest.approx(1 - 262 / 499, abs=0.01)
    assert view.packets_per_s == pytest.approx(262 / 5, abs=1.0)
    assert estimator.view(12.0).blackouts == 2


class Link:
    """A tunnel over its radio, moved together."""

    def __init__(self, *spells: Spell) -> None:
        self.radio = Radio(Air(), spells, "test")
        self.tunnel = Tunnel(self.radio, shipped_profile(), MLKEM768, "test")
        self.now_s = 0.0
        self.tunnel.start(0.0)
        self.tunnel.established(0.0)

    def run(self, seconds: float) -> list[Kind]:
        """Let time pass; return what was told."""
        for _ in range(round(seconds / STEP_S)):
            self.now_s += STEP_S
            self.radio.step(self.now_s, bool(self.tunnel.session), self.tunnel.running)
            self.tunnel.step(self.now_s)
        told = [event.kind for event in self.tunnel.events]
        self.tunnel.events.clear()
        return told


@pytest.mark.parametrize("suite", [MLKEM768, HQC192, MCELIECE3])
def test_a_rekey_takes_as_long_as_the_profile_predicts_and_the_round_trips(suite: str) -> None:
    link = Link()
    link.run(2.0)
    link.tunnel.rekey(suite, link.now_s)
    assert link.run(3.0) == [
        Kind.REKEY_STARTED,
        Kind.REKEY_PREPARED,
        Kind.REKEY_COMMITTED,
        Kind.REKEY_CONFIRMED,
    ]
    predicted_s = next(c.handshake_s for s, c in shipped_profile().costs.items() if s == suite)
    assert link.tunnel.handshake_s == pytest.approx(predicted_s + 4 * 0.014, abs=0.02)
    assert (link.tunnel.suite, link.tunnel.epoch) == (suite, 1)


def test_a_rekey_in_an_outage_times_out_and_the_old_keys_stay() -> None:
    link = Link(Spell(1.0, 60.0, up=Air(loss=1.0)))
    link.run(2.0)
    link.tunnel.rekey(HQC192, link.now_s)
    assert link.run(40.0) == [Kind.REKEY_STARTED, Kind.REKEY_FAILED]
    assert (link.tunnel.suite, link.tunnel.epoch) == (MLKEM768, 0)
    assert link.tunnel.state is State.ESTABLISHED


def test_a_rekey_is_refused_while_another_is_under_way_or_the_peer_is_lost() -> None:
    link = Link(both(10.0, 60.0, Air(loss=1.0)))
    link.run(2.0)
    link.tunnel.rekey(MCELIECE3, link.now_s)
    link.tunnel.rekey(MLKEM768, link.now_s)
    assert Kind.REFUSED in link.run(12.0)
    assert link.tunnel.state is State.LOST
    link.tunnel.rekey(MLKEM768, link.now_s)
    assert Kind.REFUSED in link.run(1.0)


def test_a_rekey_that_does_not_authenticate_blacklists_its_suite() -> None:
    link = Link()
    link.tunnel.spoiled = frozenset({HQC192})
    link.run(2.0)
    link.tunnel.rekey(HQC192, link.now_s)
    assert link.run(3.0)[-1] is Kind.ROLLBACK
    assert link.tunnel.suite == MLKEM768
    assert link.tunnel.blacklist[HQC192] == pytest.approx(link.now_s + 1800.0, abs=3.0)
    link.tunnel.rekey(HQC192, link.now_s)
    assert link.run(0.1) == [Kind.REFUSED]


def test_after_an_outage_the_session_goes_on_and_after_a_crash_there_is_a_new_one() -> None:
    link = Link(both(5.0, 12.0, Air(loss=1.0)))
    before = link.tunnel.session
    assert {Kind.PEER_LOST, Kind.PEER_BACK} <= set(link.run(20.0))
    assert link.tunnel.session == before
    link.tunnel.crash()
    assert link.run(3.0) == []
    link.tunnel.start(link.now_s)
    assert link.run(3.0) == [Kind.HANDSHAKE_STARTED, Kind.HANDSHAKE_COMPLETED]
    assert link.tunnel.session not in ("", before)
    assert link.radio.peer_report is not None
    assert link.radio.down.estimator.view(link.now_s).loss < 0.01
