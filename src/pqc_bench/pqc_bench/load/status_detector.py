# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A detector that judges as the advisor node does, but reads the states that pqc_tunneld writes.

It needs numpy, and nothing of ROS.
"""

from __future__ import annotations

import json
import select
import signal
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pqc_policy.sensing.advisor_settings import AdvisorSettings
from pqc_policy.sensing.detectors.advisor import Advisor, AdvisorState
from pqc_policy.sensing.detectors.detector_fault import DetectorFault
from pqc_policy.sensing.learned_detector import LearnedSettings
from pqc_policy.sensing.traffic.bins import TrafficBins
from pqc_sim.processes.signal_pipe import SignalPipe

from pqc_bench.load import MODELS
from pqc_bench.load.detector_use import DetectorUse

_COPIED = Path(__file__).parents[2] / MODELS


def advisor_with(detector: str, model_dir: str | None = None) -> tuple[Advisor, float]:
    """Return the advisor with that detector, and its period in s; DetectorFault without it."""
    learned = LearnedSettings(model_dir=model_dir or str(_COPIED))
    settings = AdvisorSettings(detector=detector, learned=learned)
    advisor, missing = settings.make_advisor()
    if missing:
        raise DetectorFault(missing[0])
    return advisor, settings.period_s


class StateJudge:
    """Judges the states of a drone's tunnel."""

    def __init__(self, advisor: Advisor) -> None:
        self._advisor, self._bins = advisor, TrafficBins()
        self.state = AdvisorState()
        self.judged = 0  # bins so far

    def take(self, status: Mapping[str, Any]) -> None:
        """Judge what is new in a status of pqc_tunneld; KeyError if it lacks a member."""
        time_s = datetime.fromisoformat(status["time"]).timestamp()
        report, own = messages(status["peers"][0])
        for newest in self._bins.take_link(report, time_s) + self._bins.take_status(own, time_s):
            self.state = self._advisor.judged(self.state, newest)
            self.judged += 1


def messages(peer: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return what bins read of the LinkReport and the TunnelStatus that a node would publish."""
    local, traffic = SimpleNamespace(**peer["link"]), peer["traffic"]
    remote = peer.get("remote_link")
    report = SimpleNamespace(
        local=local,
        local_streams=traffic["stream_in_packets"],
        remote_valid=remote is not None,
        remote_age_s=peer["remote_age_s"] if remote is not None else 0.0,
        remote=local if remote is None else SimpleNamespace(**remote),
        clock_valid="rtt_s" in peer,
        rtt_s=peer.get("rtt_s", 0.0),
        paths=[SimpleNamespace(**path) for path in peer["paths"]],
    )
    status = SimpleNamespace(
        encrypted=peer["encrypted"],
        since_heard_s=peer.get("last_heard_s", -1.0),
        traffic=SimpleNamespace(**traffic),
        drops=SimpleNamespace(**traffic["drops"]),
    )
    return report, status


class _Lines:
    """The whole lines of a file that grows, and may not be there yet."""

    def __init__(self, file: Path) -> None:
        self._file, self._read = file, 0

    def new(self) -> list[bytes]:
        try:
            with self._file.open("rb") as file:
                file.seek(self._read)
                content = file.read()
        except FileNotFoundError:
            return []
        whole = content[: content.rfind(b"\n") + 1]
        self._read += len(whole)
        return whole.splitlines()


def run_on_states(detector: str, summary: Path | None, file: Path, model_dir: str | None) -> int:
    """Judge until a signal; 2 if the detector can't be used, 1 if the states can't."""
    with SignalPipe(signal.SIGINT, signal.SIGTERM) as signals:
        try:
            advisor, period_s = advisor_with(detector, model_dir)
        except DetectorFault as fault:
            print(fault, file=sys.stderr)
            return 2
        judge, lines, stopped = StateJudge(advisor), _Lines(file), False
        use = DetectorUse(detector, summary)
        while not stopped:
            stopped = bool(select.select([signals], [], [], period_s)[0])
            try:
                for line in lines.new():
                    judge.take(json.loads(line))
            except KeyError as missing:
                print(f"load: the states in {file} lack {missing}", file=sys.stderr)
                return 1
            use.report(judge.judged)
    return 0
