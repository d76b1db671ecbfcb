# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The launch_test command."""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import signal
import sys
from pathlib import Path
from types import ModuleType

from launch.logging import launch_config

from .junitxml import unittestResultsToXml
from .loader import LoadTestsFromPythonModule, TestRun
from .test_runner import LaunchTestRunner

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG, prctl(2)


def _load(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("launch_test_file", help="path of the launch test")
    parser.add_argument("--package-name", help="name of the package, for the report")
    parser.add_argument("-v", "--verbose", action="store_true", help="verbose output")
    parser.add_argument(
        "-s", "--show-args", "--show-arguments", action="store_true", help="show the arguments"
    )
    parser.add_argument("launch_arguments", nargs="*", help="<name>:=<value> (the last one wins)")
    parser.add_argument("--junit-xml", dest="xmlpath", help="write a report to this path")


def run(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    """Run the tests of one file; return 0 if all of them passed."""
    path = Path(args.launch_test_file).absolute()
    if not path.is_file():
        parser.error(f"Test file '{args.launch_test_file}' does not exist")
    package = args.package_name or path.stem
    module = _load(package, path)
    test_runs = LoadTestsFromPythonModule(module, name=f"{package}.{path.stem}.launch_tests")
    runner = LaunchTestRunner(test_runs, args.launch_arguments, debug=args.verbose)
    runner.validate()
    if args.show_args:
        _show_arguments(test_runs[0])
        return 0
    results = runner.run()
    if args.xmlpath:
        report = unittestResultsToXml(test_results=results, name=f"{package}.{path.stem}")
        Path(args.xmlpath).parent.mkdir(parents=True, exist_ok=True)
        report.write(args.xmlpath, encoding="utf-8", xml_declaration=True)
    return 0 if all(result.wasSuccessful() for result in results.values()) else 1


def _show_arguments(test_run: TestRun) -> None:
    print("Arguments (pass arguments as '<name>:=<value>'):")
    for argument in test_run.describe()[0].get_launch_arguments():
        print(f"\n    '{argument.name}':\n        {argument.description}")
        if argument.default_value is not None:
            default = " + ".join(sub.describe() for sub in argument.default_value)
            print(f"        (default: {default})")


def main() -> None:
    """Run the command."""
    # When the test driver gives up and is killed, shut the processes down as well.
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
    parser = argparse.ArgumentParser(description="Tests processes started by a launch description")
    add_arguments(parser)
    args = parser.parse_args()
    try:
        code = run(parser, args)
    except Exception as error:
        if args.verbose:
            raise
        parser.error(str(error))
    for handler in launch_config.file_handlers.values():
        handler.flush()
    sys.exit(code)


if __name__ == "__main__":
    main()
