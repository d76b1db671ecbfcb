# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Parses the command line, runs the command and reports each failure as one sentence."""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys

COMMANDS = {
    "bag": "Record, inspect and play bags",
    "interface": "Show interface definitions",
    "launch": "Run a launch file",
    "node": "List and inspect nodes",
    "param": "Read and change parameters",
    "pkg": "Find packages and their executables",
    "run": "Run a package specific executable",
    "service": "Call services",
    "topic": "List and watch topics",
}


class CommandError(RuntimeError):
    """A failure that is shown to the user as one sentence."""


def make_parser(command: str | None = None) -> argparse.ArgumentParser:
    """Return the parser; the arguments of a command are added only if it is named."""
    parser = argparse.ArgumentParser(prog="ros2", description="ros2 is a command-line tool.")
    commands = parser.add_subparsers(title="Commands", metavar="COMMAND", required=True)
    for name, description in COMMANDS.items():
        sub = commands.add_parser(name, help=description, description=description)
        if name == command:
            importlib.import_module(f"ros2cli.command.{name}").add_arguments(sub)
    return parser


def main(argv: list[str] | None = None) -> int | str | None:
    """Run the command line; return the exit code or a sentence that describes the failure."""
    argv = sys.argv[1:] if argv is None else argv
    if not argv:
        make_parser().print_help()
        return None
    try:
        args = make_parser(argv[0]).parse_args(argv)
        return args.main(args)
    except KeyboardInterrupt:
        return int(signal.SIGINT)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except CommandError as error:
        return str(error)
    except (RuntimeError, OSError, LookupError, ValueError, TypeError) as error:
        return error.args[0] if isinstance(error, KeyError) else str(error)
