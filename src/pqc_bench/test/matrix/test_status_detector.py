# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A detector without ROS judges what the advisor node judges."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pqc_bench.load.status_detector import StateJudge, advisor_with
from pqc_policy.policy.inputs import Verdict
from pqc_policy.replay.recording import Recording
from pqc_policy.sensing.advisor_settings import AdvisorSettings
from pqc_policy.sensing.detectors.advisor import AdvisorState
from pqc_policy.sensing.traffic.bins import TrafficBins

import pqc_policy

FLIGHT = Path(pqc_policy.__file__).parents[1] / "flights" / "jammed"


def test_states_of_a_tunnel_get_the_verdicts_of_its_messages() -> None:
    recording = Recording(FLIGHT)
    reports = list(recording._stamped("link"))
    advisor, _ = AdvisorSettings(detector="trees").make_advisor()
    bins, state = TrafficBins(), AdvisorState()
    judge = StateJudge(advisor_with("trees")[0])
    verdicts = set()
    for at_s, status in recording._stamped("status"):
        earlier = [report for report_s, report in reports if report_s <= at_s]
        if not earlier:
            continue
        time = datetime.fromtimestamp(round(at_s, 3), UTC)
        for newest in bins.take_link(earlier[-1], time.timestamp()) + bins.take_status(
            status, time.timestamp()
        ):
            state = advisor.judged(state, newest)
        judge.take(json.loads(line(time, earlier[-1], status)))
        assert judge.state == state
        verdicts.add(state.verdict)
    assert judge.judged > 0
    assert verdicts == set(Verdict)


def line(time: datetime, report: Any, status: Any) -> str:
    """Return both messages in the form of pqc_tunneld's status."""
    traffic = {**plain(status.traffic), "drops": plain(status.drops)}
    peer = {
        "encrypted": status.encrypted,
        "traffic": {**traffic, "stream_in_packets": getattr(report, "local_streams", 0)},
        "link": plain(report.local),
        "paths": [plain(path) for path in report.paths],
    }
    peer["traffic"].setdefault("stream_out_packets", 0)
    if status.since_heard_s >= 0.0:
        peer["last_heard_s"] = status.since_heard_s
    if report.remote_valid:
        peer |= {"remote_link": plain(report.remote), "remote_age_s": report.remote_age_s}
    if report.clock_valid:
        peer["rtt_s"] = report.rtt_s
    return json.dumps({"time": time.isoformat(), "peers": [peer]})


def plain(message: Any) -> dict[str, Any]:
    fields = {name: getattr(message, name) for name in message.__dataclass_fields__}
    return {name: value for name, value in fields.items() if isinstance(value, str | int | float)}
