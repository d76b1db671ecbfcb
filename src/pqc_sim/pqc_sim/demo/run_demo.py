# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One demonstration from start to verdict; the imports of ROS begin here."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from pathlib import Path

from pqc_testing.ros_graph import isolate_graph

from pqc_sim.demo.demo_flights import FLIGHTS, FlightConditions
from pqc_sim.demo.demonstration import Demonstration, Plan
from pqc_sim.demo.launched import Launched, identity_arguments, port_arguments
from pqc_sim.demo.terminal import Terminal
from pqc_sim.demo.tunnel_view import TunnelView
from pqc_sim.demo.verdict import Outcome, as_json, as_text, judge
from pqc_sim.pair.link_emulator import NO_LINK, link_profile
from pqc_sim.pair.links import parse_links
from pqc_sim.pair.node_view import NodeView
from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.scratch_folder import ScratchFolder
from pqc_sim.processes.summary_file import write_summary

_SYS = "sys"


def run_demo(options: argparse.Namespace) -> int:
    """Fly, print the verdict and write the summary; return 0 if all is well. RunFault if not."""
    _join_graph()
    output = sys.stderr if options.json else sys.stdout
    with ScratchFolder("pqc-demo-") as folder:
        outcome = _fly(options, folder, Terminal(output))
    faults = judge(outcome)
    summary = as_json(outcome, faults)
    if options.summary is not None:
        write_summary(options.summary, summary)
    print("\n".join(as_text(outcome, faults)), file=output)
    if options.json:
        print(json.dumps(summary))
    return 1 if faults else 0


def _join_graph() -> None:
    """Take a ROS domain of its own, or the user's if there is no drone in it. RunFault if so."""
    domain = os.environ.get("ROS_DOMAIN_ID")
    if not domain:
        isolate_graph()
        return
    if not (domain.isdigit() and int(domain) <= 232):
        raise RunFault(f"ROS_DOMAIN_ID is '{domain}', which is no number from 0 to 232")
    with NodeView("pqc_demo") as view:
        topic = view.occupied()
    if topic:
        raise RunFault(
            f"a tunnel publishes {topic} in ROS domain {domain} already: end it, choose another "
            "ROS_DOMAIN_ID, or unset it, so that the demo takes a domain of its own"
        )


def _fly(options: argparse.Namespace, folder: Path, terminal: Terminal) -> Outcome:
    profile = link_profile(options.link)
    arguments = {
        **identity_arguments(folder),
        **port_arguments(),
        **_flight_arguments(options, folder),
        "rate": str(options.rate),
        "charge": f"{options.charge:g}",
        "hold": "true",
        "link": str(profile.absolute()) if profile else NO_LINK,
        "link_seed": str(options.link_seed or 1),
    }
    links = parse_links(options.links) if options.links else ()
    if links:
        schedule = options.schedule or "failover"
        arguments |= {"links": options.links, "schedule": schedule}
    if options.suite is not None:
        arguments["suite"] = options.suite
    conditions = None
    if options.flight is not None:
        conditions = FlightConditions(FLIGHTS[options.flight], folder / _SYS)
    plan = Plan(options.seconds, options.link, options.flight or "", conditions, links)
    # The launch comes first: start a child process before ROS starts threads in this one.
    with Launched(folder, arguments) as launched:
        try:
            with TunnelView() as view, terminal:
                demonstration = Demonstration(plan, launched, view, terminal)
                demonstration.run()
        finally:
            if options.keep_log is not None:
                shutil.copyfile(launched.log, options.keep_log)
    return demonstration.outcome()


def _flight_arguments(options: argparse.Namespace, folder: Path) -> dict[str, str]:
    """Return the launch arguments that a flight adds."""
    if options.flight is None:
        return {}
    flight = FLIGHTS[options.flight]
    arguments = {
        "policy": "true",
        "sys_root": str(folder / _SYS),
        "capacity": f"{flight.capacity_mah:g}",
        "respawn": "false" if flight.crash_at_s is None else "true",
    }
    return arguments | ({"strategy": options.strategy} if options.strategy else {})
