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

from .junitxml import unittestResultsToXml
from .loader import LoadTestsFromPythonModule
from .test_runner import run_tests

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG, prctl(2)


def _load(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Run the tests of one file; exit with 0 if all of them passed."""
    # When the test driver gives up and is killed, shut the processes down as well.
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
    parser = argparse.ArgumentParser(description="Tests processes started by a launch description")
    parser.add_argument("launch_test_file", type=Path, help="path of the launch test")
    parser.add_argument("--package-name", help="name of the package, for the report")
    parser.add_argument("--junit-xml", type=Path, help="write a report to this path")
    args = parser.parse_args()
    path = args.launch_test_file.absolute()
    if not path.is_file():
        parser.error(f"Test file '{args.launch_test_file}' does not exist")
    name = f"{args.package_name or path.stem}.{path.stem}"
    try:
        module = _load(args.package_name or path.stem, path)
        results = run_tests(LoadTestsFromPythonModule(module, name=f"{name}.launch_tests"))
    except Exception as error:
        parser.error(str(error))
    if args.junit_xml:
        report = unittestResultsToXml(test_results=results, name=name)
        args.junit_xml.parent.mkdir(parents=True, exist_ok=True)
        report.write(args.junit_xml, encoding="utf-8", xml_declaration=True)
    sys.exit(0 if all(result.wasSuccessful() for result in results.values()) else 1)


if __name__ == "__main__":
    main()
