# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench record`."""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pqc_learning.data.live import write_recording
from pqc_sim.pair.link_emulator import fields_by_direction, udp_link_profile
from pqc_testing.ros_graph import isolate_graph

from pqc_bench.harness.machine import commit, machine_kind
from pqc_bench.harness.tunnel_pair import Plan, TunnelPair
from pqc_bench.harness.usage import UsageFault, fault_of_usage
from pqc_bench.record.recorder import MessageRecorder, Recording, record
from pqc_bench.record.schedule import Phase, Profile, schedule

_ESTABLISH_S = 60.0


def run(options: argparse.Namespace) -> int:
    usual = usual_link(options.link)
    isolate_graph()
    with tempfile.TemporaryDirectory(prefix="pqc-bench-") as folder:
        found = recorded(Path(folder), usual, schedule())
    about = {"commit": commit(), "machine": machine_kind()}
    name = Path(options.link).stem
    write_recording(options.out, name, found.seconds, found.episodes, found.messages, about)
    attacks = sum(one.is_attack for one in found.episodes)
    print(f"{found.seconds:.0f} s, {attacks} attacks, {len(found.messages)} messages")
    return 0


def usual_link(name: str) -> Profile:
    """Return the profile of a link, each direction with all that holds for both; or UsageFault."""
    with fault_of_usage():
        file = udp_link_profile(name)
    if file is None:
        raise UsageFault("a recording needs a link that can be changed, such as clean")
    return fields_by_direction(file)


def recorded(folder: Path, usual: Profile, phases: Sequence[Phase]) -> Recording:
    """Launch both ends over the usual link, and run the phases."""
    with contextlib.ExitStack() as stack:
        pair = stack.enter_context(TunnelPair(folder, Plan(link=usual)))
        view = stack.enter_context(MessageRecorder(pair.check))
        view.wait_established(_ESTABLISH_S)
        return record(folder, pair, view, usual, phases, _say)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
