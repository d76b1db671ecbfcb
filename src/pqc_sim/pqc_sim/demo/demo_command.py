# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`demo`: flies a simulated vehicle through the tunnel and shows it.

The options are checked before anything starts; help needs no packages but this one and pqc_policy.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import os
import signal
import sys
from pathlib import Path

from pqc_sim.demo.demo_flights import FLIGHTS, DemoFlight
from pqc_sim.demo.mavproxy import find_mavproxy
from pqc_sim.processes.command_line import Parser, link_seed, message_rate, number, percent
from pqc_sim.processes.interruption import Interrupted, raise_on_signals, signal_received
from pqc_sim.processes.output_path import require_writable
from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.scratch_folder import require_temporary_folder

SCHEDULES = ("failover", "redundant")
STRATEGIES = ("expert", "hybrid", "layered", "paper_2025", "rl", "static", "telemetry_aware")
_NO_FLIGHT = DemoFlight("", 20.0, "", suite=None, charge_percent=100.0)
_SEVERAL_LINKS_S = 60.0  # enough to cut one of several links and restore it
_LONGEST_S = 86_400.0


def make_parser() -> Parser:
    parser = Parser(
        prog="demo",
        description="Fly a simulated vehicle through the post-quantum tunnel, and watch it.",
        epilog="Exit codes: 0 the vehicle flew and its MAVLink went both ways unaltered, 1 it did "
        "not, 2 wrong options. The demo takes a ROS domain of its own unless ROS_DOMAIN_ID is set.",
    )
    abouts = "; ".join(f"{name}: {flight.about}" for name, flight in FLIGHTS.items())
    option = parser.option
    option("--seconds", "length of the flight in s (20, or the flight's)", type=_duration)
    text = f"conditions of the flight, in which the policy decides: {abouts}"
    option("--flight", text, choices=sorted(FLIGHTS), metavar="NAME")
    text = f"strategy of the policy in a flight: {', '.join(STRATEGIES)} (telemetry_aware)"
    option("--strategy", text, choices=STRATEGIES, metavar="NAME")
    option("--suite", "id of the suite of the first handshake", metavar="ID")
    option("--link", "none, an installed profile, or a file (none, or the flight's)")
    text = "several emulated links in order of preference, such as lte+radio; the first is cut once"
    option("--links", text, metavar="NAMES")
    text = "how several links are used: failover or redundant (failover)"
    option("--schedule", text, choices=SCHEDULES, metavar="NAME")
    option("--link-seed", "seed of the losses on the link (1)", type=link_seed, metavar="N")
    option("--rate", "telemetry messages per second (320, or the flight's)", type=message_rate)
    option("--charge", "charge of the battery in %% (100, or the flight's)", type=percent)
    option("--summary", "file for the results as JSON", type=Path, metavar="FILE")
    text = "print the results as JSON; all other output goes to standard error"
    option("--json", text, action="store_true")
    option("--keep-log", "file for the log of all programs", type=Path, metavar="FILE")
    parser.set_defaults(check_together=_check)
    return parser


def _duration(text: str) -> float:
    """Read the length of a flight in s."""
    value = number(text)
    if not 0.0 < value <= _LONGEST_S:
        raise argparse.ArgumentTypeError(f"'{text}' isn't a number of seconds above 0, up to a day")
    return value


def _fill_in(options: argparse.Namespace) -> None:
    """Take the options that were not given from the flight."""
    flight = FLIGHTS.get(options.flight, _NO_FLIGHT)
    if options.links is not None and options.link is None:
        options.link = _NO_FLIGHT.link
    defaults = {
        "seconds": flight.seconds if options.links is None else _SEVERAL_LINKS_S,
        "suite": flight.suite,
        "link": flight.link,
        "rate": flight.rate_hz,
        "charge": flight.charge_percent,
    }
    for name, value in defaults.items():
        if getattr(options, name) is None:
            setattr(options, name, value)


def _check(options: argparse.Namespace) -> None:
    """Fill in the options that were not given; RunFault for those that can't be used."""
    _fill_in(options)
    if options.strategy is not None and options.flight is None:
        raise RunFault("--strategy needs --flight: only in a flight the policy decides")
    emulated = options.links is not None or options.link != _NO_FLIGHT.link
    if options.link_seed is not None and not emulated:
        raise RunFault("--link-seed needs --link: without an emulated link nothing is lost")
    if options.links is not None and (options.link != _NO_FLIGHT.link or options.flight):
        raise RunFault("--links can't be used with --link or --flight, which choose one link")
    if options.schedule is not None and options.links is None:
        raise RunFault("--schedule needs --links: one link has no schedule")
    if options.suite is not None:
        options.suite = _suite(options.suite)
    for file in (options.summary, options.keep_log):
        require_writable(file)


def _check_installed(options: argparse.Namespace) -> None:
    """Raise RunFault for links that aren't installed, and for what this machine lacks."""
    from pqc_sim.pair.link_emulator import udp_link_profile
    from pqc_sim.pair.links import parse_links

    udp_link_profile(options.link)
    if options.links is not None:
        parse_links(options.links)
    require_temporary_folder()
    find_mavproxy()


def _suite(text: str) -> str:
    """Return the id of a suite that the demonstration can fly; RunFault for another."""
    from pqc_policy.policy.suites import SUITES, find_suite

    suite = find_suite(text)
    if suite is not None and not suite.experimental:
        return suite.id
    usable = [one.id for one in SUITES if not one.experimental]
    nearest = difflib.get_close_matches(text, usable, n=1, cutoff=0.0)[0]
    fault = f"there is no suite '{text}'" if suite is None else f"{text} is experimental"
    raise RunFault(f"{fault}; did you mean {nearest}?")


def _discard_output() -> None:
    """Write nothing more, not even what is buffered."""
    null = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(null, descriptor)


def _run(arguments: list[str] | None) -> int:
    # Files that are closed, and characters that the terminal's encoding lacks, are no faults.
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")
    os.environ.setdefault("HOME", os.path.expanduser("~"))  # ROS needs it for its logs
    parser = make_parser()
    options = parser.parse_args(arguments)
    try:
        _check_installed(options)
    except RunFault as fault:
        parser.error(str(fault))
    from pqc_sim.demo.run_demo import run_demo

    code = run_demo(options)
    sys.stdout.flush()
    return code


def main(arguments: list[str] | None = None) -> int:
    """Run the demonstration; 0 only if the vehicle flew and its MAVLink arrived unaltered."""
    raise_on_signals()
    try:
        return _run(arguments)
    except (Interrupted, RuntimeError, ImportError, OSError) as error:
        return _report(error)


def _report(error: BaseException) -> int:
    """Print why the demo ends, in one sentence; return its exit code."""
    number = signal_received()
    if number is not None:  # whatever failed after that
        with contextlib.suppress(OSError):
            print(f"demo: interrupted by {number.name}; all programs have ended", file=sys.stderr)
        return 128 + number
    if isinstance(error, BrokenPipeError):
        _discard_output()
        return 128 + signal.SIGPIPE
    if isinstance(error, ModuleNotFoundError):
        print(f"demo: {error.name} isn't installed; ./dev demo installs it", file=sys.stderr)
    elif isinstance(error, OSError):
        print(f"demo: {error.strerror}: {error.filename or 'the output'}", file=sys.stderr)
        _discard_output()
    else:  # RunFault, or of ROS, for example if it can't write its log
        print(f"demo: {error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
