# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`bench`: runs one of the measurements, each of which has a folder of its own.

A folder's `command.py` describes it: its docstring is the help, `configure` adds arguments, and
`check`, where there is one, rejects combinations that are impossible or have no effect. That needs
no installed package. `run.py` measures.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

from pqc_policy.shown_text import shown, shown_streams
from pqc_sim.processes.command_line import Parser
from pqc_sim.processes.run_fault import RunFault

from pqc_bench.harness.usage import UsageFault

# The exit code that shells report for a program ended by SIGINT.
_INTERRUPTED = 130
_WRONG_USAGE = 2
_FOLDERS = (
    *("matrix", "merge", "report", "check", "compare", "publish", "rekey", "flood", "fleet"),
    *("hold", "stream", "radio", "layers", "saturation", "cost", "peers", "speed", "policy"),
    *("detectors", "record", "power", "meter", "profile", "simulate", "formal", "fuzz", "mutants"),
)
# The modules that describe and run each command.
COMMANDS = {name: (f"pqc_bench.{name}.command", f"pqc_bench.{name}.run") for name in _FOLDERS}


def make_parser() -> Parser:
    parser = Parser(prog="bench", description="Measure the tunnel, or try to break it.")
    subparsers = parser.add_subparsers(metavar="COMMAND", dest="command")
    for name, (described, _) in COMMANDS.items():
        module = import_module(described)
        text = module.__doc__.strip()
        subparser = subparsers.add_parser(name, help=text.splitlines()[0], description=text)
        module.configure(subparser)
        if hasattr(module, "check"):
            subparser.set_defaults(check_together=module.check)
    return parser


@shown_streams()
def main(arguments: list[str] | None = None) -> int:
    """Run a command; 0 if it completed and found no fault, 2 if it was called wrongly."""
    try:
        options = make_parser().parse_args(arguments)
        if options.command is None:
            make_parser().print_help()
            return 0
        _, running = COMMANDS[options.command]
        code = import_module(running).run(options)
        sys.stdout.flush()
        return code
    except UsageFault as fault:
        print(f"bench: {fault}", file=sys.stderr)
        return _WRONG_USAGE
    except RunFault as fault:
        print(f"bench: {fault}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        print(f"bench: {error.name} is not installed: run './dev build'", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of the output has gone, as `head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        place = f"'{shown(error.filename)}': " if error.filename else ""
        print(f"bench: {place}{error.strerror or error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bench: stopped before it was done", file=sys.stderr)
        return _INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
