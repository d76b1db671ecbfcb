# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Lets pytest run launch tests: mark generate_test_description with pytest.mark.launch_test."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.pathlib import import_path

from ..loader import LoadTestsFromPythonModule
from ..test_runner import run_tests


class LaunchTestFailure(Exception):
    """Raised with the failures of a launch test."""


class LaunchTestItem(pytest.Item):
    """All test runs of one file."""

    def __init__(self, *, test_runs: list, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__test_runs = test_runs

    def runtest(self) -> None:
        """Launch and test; LaunchTestFailure unless all tests passed."""
        # Plug-ins may run the same item again.
        results = run_tests(copy.deepcopy(self.__test_runs)).values()
        failed = [entry for result in results for entry in [*result.errors, *result.failures]]
        if not all(result.wasSuccessful() for result in results):
            raise LaunchTestFailure(
                "\n\n".join(f"FAIL: {case.id()}\n{text}" for case, text in failed)
            )

    def repr_failure(self, excinfo: pytest.ExceptionInfo, style: Any = None) -> Any:
        if isinstance(excinfo.value, LaunchTestFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"launch tests: {self.name}"


class LaunchTestModule(pytest.File):
    """A file with a launch test in it."""

    def collect(self) -> Iterator[LaunchTestItem]:
        module = _import(self.path)
        runs = LoadTestsFromPythonModule(module, name=module.__name__)
        yield LaunchTestItem.from_parent(self, name=module.__name__, test_runs=runs)


def _import(path: Path) -> Any:
    return import_path(path, root=path.parent, consider_namespace_packages=False)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> Any:
    """Take files whose generate_test_description is marked as a launch test."""
    if "generate_test_description" not in module_path.read_text(encoding="utf-8"):
        return None
    entry = getattr(_import(module_path), "generate_test_description", None)
    marks = getattr(entry, "pytestmark", [])
    if not any(mark.name == "launch_test" for mark in marks):
        return None
    module = LaunchTestModule.from_parent(parent, path=module_path)
    for mark in marks:
        module.add_marker(getattr(pytest.mark, mark.name).with_args(*mark.args, **mark.kwargs))
    return module


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "launch_test: generate_test_description is the entry point of a launch test"
    )
