# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the tunnel that feeds `bench sensing`: the nodes do all of their work with it."""

from __future__ import annotations

from math import isnan
from typing import Any

import pytest

rclpy_time = pytest.importorskip("rclpy.time")
messages = pytest.importorskip("pqc_msgs.msg")
from pqc_bench.sensing.calm_tunnel import CalmTunnel  # noqa: E402
from pqc_policy.policy.inputs import Verdict  # noqa: E402
from pqc_policy.policy.suites import DEFAULT_SUITE, SUITES  # noqa: E402
from pqc_policy.policy.telemetry import Telemetry  # noqa: E402
from pqc_policy.sensing.advisor_settings import AdvisorSettings  # noqa: E402
from pqc_policy.sensing.detectors.advisor import AdvisorState  # noqa: E402
from pqc_policy.sensing.traffic.features import FEATURES, vector  # noqa: E402

RATE_HZ = 320
START = 1000


def at(second: int) -> Any:
    return rclpy_time.Time(seconds=START + second).to_msg()


def test_the_shipped_detectors_see_all_they_can_of_the_link_and_a_calm_one() -> None:
    settings, tunnel = AdvisorSettings(), CalmTunnel(RATE_HZ)
    (advisor, missing), bins, state = settings.make_advisor(), settings.make_bins(), AdvisorState()
    if missing:
        pytest.skip(missing[0])
    for second in range(240):
        done = bins.take_link(tunnel.link(at(second), float(second)))
        for newest in [*done, *bins.take_status(tunnel.status(at(second), float(second)))]:
            state = advisor.judged(state, newest)
            assert state.verdict is Verdict.CLEAR
            assert state.doubts == ()
    unknown = {
        name for name, value in zip(FEATURES, vector(state.recent[-1]), strict=True) if isnan(value)
    }
    assert unknown == {"path_loss"}  # a single link is not probed
    assert [name for name, _ in state.findings] == [one.name for one in advisor.detectors]


def test_the_policy_has_a_session_whose_keys_grow_old_and_are_renewed() -> None:
    telemetry, tunnel = Telemetry(), CalmTunnel(RATE_HZ)
    telemetry.take("suites", tunnel.suites(at(0)))
    telemetry.take("status", tunnel.status(at(70), 70.0))
    session = telemetry.inputs((START + 70) * 10**9).session
    assert session.value is not None
    assert (session.value.suite, session.value.epoch) == (DEFAULT_SUITE, 0)
    assert session.value.key_age_s == pytest.approx(70.0)

    published = tunnel.rekey(at(71), 71.0, "", ratchet=False)
    kinds = [one.kind_text for one in published if isinstance(one, messages.TunnelEvent)]
    assert kinds == ["rekey_started", "rekey_committed", "rekey_confirmed"]
    status = tunnel.status(at(80), 80.0)
    assert (status.suite, status.epoch, status.rekeys, status.ratchets) == (DEFAULT_SUITE, 1, 1, 0)
    assert status.key_age_s == pytest.approx(9.0)
    assert tunnel.rekey(at(81), 81.0, "", ratchet=True)[-1].ratchets == 1


def test_the_suites_are_those_that_the_shipped_parameters_allow() -> None:
    listed = CalmTunnel(RATE_HZ).suites(at(0))
    assert [one.id for one in listed.suites] == [suite.id for suite in SUITES]
    allowed = {one.id for one in listed.suites if one.allowed}
    assert DEFAULT_SUITE in allowed
    assert {one.level for one in listed.suites if one.allowed} == {3, 5}
