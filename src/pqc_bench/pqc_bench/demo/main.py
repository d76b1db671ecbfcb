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

from pqc_bench.arguments import Parser, link_seed, message_rate, percent, seconds
from pqc_bench.demo.fault import DemoFault
from pqc_bench.demo.launched import Launched
from pqc_bench.demo.links import NO_LINK, installed_links
from pqc_bench.demo.session import Plan, Session
from pqc_bench.demo.terminal import Terminal
from pqc_bench.demo.tunnel_view import TunnelView
from pqc_bench.demo.verdict import Outcome, as_json, as_text, judge
from pqc_bench.demo.workspace import make_identities, port_arguments
from pqc_bench.summary_file import write_summary


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="demo",
        description="Fly a simulated vehicle through the post-quantum tunnel, and watch it.",
    )
    parser.add_argument(
        "--seconds", type=seconds, default=20.0, help="length of the flight; 0: until 'q' (20)"
    )
    parser.add_argument("--suite", help="id of the suite to begin with")
    parser.add_argument(
        "--summary", type=Path, metavar="FILE", help="where to write the results as JSON"
    )
    parser.add_argument(
        "--link",
        choices=(NO_LINK, *installed_links()),
        default=NO_LINK,
        help="what lies between the ends: a profile of config/links (none)",
    )
    parser.add_argument(
        "--link-seed", type=link_seed, default=1, help="another seed loses other packets (1)"
    )
    parser.add_argument(
        "--rate", type=message_rate, default=320, help="telemetry messages per second (320)"
    )
    parser.add_argument(
        "--charge", type=percent, default=100.0, help="charge of the battery in %% (100)"
    )
    parser.add_argument(
        "--keep-log", type=Path, metavar="FILE", help="where to leave the log of all programs"
    )
    return parser


def _check(options: argparse.Namespace) -> None:
    for file in (options.summary, options.keep_log):
        if file is not None and not file.absolute().parent.is_dir():
            raise DemoFault(f"there is no folder '{file.absolute().parent}' to write to")


def _run(options: argparse.Namespace, folder: Path) -> Outcome:
    arguments = {
        **make_identities(folder),
        **port_arguments(),
        "rate": str(options.rate),
        "charge": f"{options.charge:g}",
        "hold": "true",
        "link": options.link,
        "link_seed": str(options.link_seed),
    }
    if options.suite is not None:
        arguments["suite"] = options.suite
    # The launch comes first: a process is best begun before ROS has made threads in this one.
    with Launched(folder, arguments) as launched, TunnelView() as view, Terminal() as terminal:
        session = Session(Plan(options.seconds, options.link), launched, view, terminal)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: session.stop())
        try:
            session.run()
        finally:
            launched.end()
            if options.keep_log is not None:
                shutil.copyfile(launched.log, options.keep_log)
        return session.outcome()


def main(arguments: list[str] | None = None) -> int:
    """Run the demonstration; 0 only if all MAVLink the link let pass went both ways intact."""
    options = _parser().parse_args(arguments)
    try:
        _check(options)
        with tempfile.TemporaryDirectory(prefix="pqc-demo-") as folder:
            outcome = _run(options, Path(folder))
    except DemoFault as fault:
        print(f"demo: {fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("demo: stopped before it began", file=sys.stderr)
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
