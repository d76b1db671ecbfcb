# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`demo`: flies a simulated vehicle through the tunnel and shows it."""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from pqc_policy.policy.strategies import STRATEGIES

from pqc_sim.demo.demo_flights import FLIGHTS, DemoFlight, FlightConditions
from pqc_sim.demo.demonstration import Demonstration, Plan
from pqc_sim.demo.launched import Launched, identity_arguments, port_arguments
from pqc_sim.demo.live_view import Terminal
from pqc_sim.demo.tunnel_view import TunnelView
from pqc_sim.demo.verdict import Outcome, as_json, as_text, judge
from pqc_sim.pair.link_emulator import NO_LINK, link_profile
from pqc_sim.processes.command_line import Parser, link_seed, message_rate, percent, seconds
from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import require_folder, write_summary

_NO_FLIGHT = DemoFlight("", seconds=20.0, suite=None, charge_percent=100.0)
_SYS = "sys"


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="demo",
        description="Fly a simulated vehicle through the post-quantum tunnel, and watch it.",
    )
    abouts = "; ".join(f"{name}: {flight.about}" for name, flight in FLIGHTS.items())
    option = parser.option
    option(
        "--seconds", "length of the flight in s; 0: until 'q' (20, or the flight's)", type=seconds
    )
    text = f"conditions of the flight, in which the policy decides: {abouts}"
    option("--flight", text, choices=sorted(FLIGHTS), metavar="NAME")
    text = "strategy of the policy in a flight (telemetry_aware)"
    option("--strategy", text, choices=sorted(STRATEGIES))
    option("--suite", "id of the suite of the first handshake")
    option("--summary", "file for the results as JSON", type=Path, metavar="FILE")
    option("--link", "none, an installed profile, or a file (none, or the flight's)")
    option("--link-seed", "seed of the losses on the link (1)", type=link_seed, default=1)
    option("--rate", "telemetry messages per second (320, or the flight's)", type=message_rate)
    option("--charge", "charge of the battery in %% (100, or the flight's)", type=percent)
    option("--keep-log", "file for the log of all programs", type=Path, metavar="FILE")
    return parser


def _fill_in(options: argparse.Namespace) -> None:
    """Take the options that were not given from the flight."""
    flight = FLIGHTS.get(options.flight, _NO_FLIGHT)
    defaults = {
        "seconds": flight.seconds,
        "suite": flight.suite,
        "link": flight.link,
        "rate": flight.rate_hz,
        "charge": flight.charge_percent,
    }
    for name, value in defaults.items():
        if getattr(options, name) is None:
            setattr(options, name, value)


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


def _run(options: argparse.Namespace, folder: Path) -> Outcome:
    profile = link_profile(options.link)
    arguments = {
        **identity_arguments(folder),
        **port_arguments(),
        **_flight_arguments(options, folder),
        "rate": str(options.rate),
        "charge": f"{options.charge:g}",
        "hold": "true",
        "link": str(profile.absolute()) if profile else NO_LINK,
        "link_seed": str(options.link_seed),
    }
    if options.suite is not None:
        arguments["suite"] = options.suite
    conditions = None
    if options.flight is not None:
        conditions = FlightConditions(FLIGHTS[options.flight], folder / _SYS)
    plan = Plan(options.seconds, options.link, options.flight or "", conditions)
    # The launch comes first: start a child process before ROS starts threads in this one.
    with Launched(folder, arguments) as launched, TunnelView() as view, Terminal() as terminal:
        demonstration = Demonstration(plan, launched, view, terminal)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: demonstration.stop())
        try:
            demonstration.run()
        finally:
            launched.end()
            if options.keep_log is not None:
                shutil.copyfile(launched.log, options.keep_log)
        return demonstration.outcome()


def main(arguments: list[str] | None = None) -> int:
    """Run the demonstration; 0 only if all MAVLink that the link passed arrived intact."""
    options = _parser().parse_args(arguments)
    try:
        for file in (options.summary, options.keep_log):
            require_folder(file)
        _fill_in(options)
        with tempfile.TemporaryDirectory(prefix="pqc-demo-") as folder:
            outcome = _run(options, Path(folder))
    except RunFault as fault:
        print(f"demo: {fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("demo: stopped before the start", file=sys.stderr)
        return 1
    faults = judge(outcome)
    summary = as_json(outcome, faults)
    print("\n".join(as_text(outcome, faults)))
    print(json.dumps(summary))
    if options.summary is not None:
        write_summary(options.summary, summary)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
