# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`bench`: runs one of the measurements in `commands`."""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module

from pqc_sim.processes.command_line import Parser
from pqc_sim.processes.run_fault import RunFault

from pqc_bench import commands

# The exit code that shells report for a program ended by SIGINT.
_INTERRUPTED = 130


def _parser() -> Parser:
    parser = Parser(prog="bench", description="Measure the tunnel, or try to break it.")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for info in pkgutil.iter_modules(commands.__path__):
        module = import_module(f"{commands.__name__}.{info.name}")
        text = module.__doc__.strip()
        subparser = subparsers.add_parser(info.name, help=text.splitlines()[0], description=text)
        module.configure(subparser)
        subparser.set_defaults(run=module.run)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run a command; 0 if it completed and found no fault."""
    try:
        options = _parser().parse_args(arguments)
        return options.run(options)
    except RunFault as fault:
        print(f"bench: {fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bench: stopped before it was done", file=sys.stderr)
        return _INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
