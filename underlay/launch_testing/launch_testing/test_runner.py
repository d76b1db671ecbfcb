# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Launches the processes in the main thread while a second thread runs the tests."""

from __future__ import annotations

import sys
import threading
import unittest
from typing import Any

from launch import LaunchDescription, LaunchDescriptionSource, LaunchService
from launch.actions import IncludeLaunchDescription, RegisterEventHandler
from launch.event_handlers import OnProcessExit, OnProcessIO, OnProcessStart

from .io_handler import ActiveIoHandler
from .loader import TestRun, bind_arguments
from .parse_arguments import parse_launch_arguments
from .proc_info_handler import ActiveProcInfoHandler
from .test_result import AllTheSame, TestResult


def _run_suite(suite: unittest.TestSuite) -> TestResult:
    return unittest.TextTestRunner(verbosity=2, resultclass=TestResult).run(suite)


class _Worker:
    """Runs one test run."""

    def __init__(self, run: TestRun, launch_file_arguments: list[str], debug: bool) -> None:
        self.__run = run
        self.__arguments = parse_launch_arguments(launch_file_arguments)
        self.__service = LaunchService(debug=debug, noninteractive=not sys.stdin.isatty())
        self.__proc_info = ActiveProcInfoHandler()
        self.__proc_output = ActiveIoHandler()
        self.__ready = threading.Event()
        self.__results: TestResult | None = None
        self.__problem = "Launch stopped before the active tests finished."

    def run(self) -> unittest.TestResult:
        """Launch, test, shut down, test again."""
        description, context = self.__run.describe(self.__ready.set)
        injected = {
            **context,
            **self.__run.param_args,
            "proc_info": self.__proc_info,
            "proc_output": self.__proc_output,
            "test_args": dict(self.__arguments),
        }
        bind_arguments(
            self.__run.pre_shutdown_tests, {**injected, "launch_service": self.__service}
        )
        bind_arguments(self.__run.post_shutdown_tests, injected)
        self.__service.include_launch_description(self.__watched(description))
        thread = threading.Thread(target=self.__test, name="tests", daemon=True)
        thread.start()
        self.__service.run(shutdown_when_idle=not self.__run.keep_alive)
        if self.__results is None:
            print(f"Processes under test stopped before tests completed: {self.__problem}")
            self.__print_failed_processes()
            cases = list(self.__run.all_cases())
            return AllTheSame(cases, failed=True, reason=self.__problem)
        self.__results.append(_run_suite(self.__run.post_shutdown_tests))
        return self.__results

    def __watched(self, description: LaunchDescription) -> LaunchDescription:
        def started(event: Any, context: Any) -> None:
            self.__proc_output.track(event.process_name)
            self.__proc_info.append(event)

        return LaunchDescription(
            [
                RegisterEventHandler(OnProcessStart(on_start=started)),
                RegisterEventHandler(
                    OnProcessExit(on_exit=lambda event, _: self.__proc_info.append(event))
                ),
                RegisterEventHandler(
                    OnProcessIO(
                        on_stdout=self.__proc_output.append, on_stderr=self.__proc_output.append
                    )
                ),
                IncludeLaunchDescription(
                    LaunchDescriptionSource(description), launch_arguments=self.__arguments
                ),
            ]
        )

    def __test(self) -> None:
        try:
            if self.__ready.wait(self.__run.timeout):
                self.__results = _run_suite(self.__run.pre_shutdown_tests)
            else:
                self.__problem = f"ReadyToTest was not reached within {self.__run.timeout} seconds."
        finally:
            self.__service.shutdown()

    def __print_failed_processes(self) -> None:
        for info in self.__proc_info:
            code = getattr(info, "returncode", 0)
            if code == 0:
                continue
            print(f"Process '{info.process_name}' exited with {code}")
            print(f"##### '{info.process_name}' output #####")
            for event in self.__proc_output[info.action]:
                print(event.text.decode(errors="replace"), end="")
            print("#" * (len(info.process_name) + 21))


class LaunchTestRunner:
    """Runs test runs one after the other."""

    def __init__(
        self, test_runs: list[TestRun], launch_file_arguments: list[str] = (), debug: bool = False
    ) -> None:
        self.__test_runs = test_runs
        self.__launch_file_arguments = list(launch_file_arguments)
        self.__debug = debug

    def validate(self) -> None:
        """Raise an exception for a description whose arguments do not fit."""
        for run in self.__test_runs:
            run.validate()

    def run(self) -> dict[TestRun, unittest.TestResult]:
        """Return the results of each test run."""
        results: dict[TestRun, unittest.TestResult] = {}
        for run in self.__test_runs:
            if len(self.__test_runs) > 1:
                print(f"\nStarting test run {run}")
            try:
                worker = _Worker(run, self.__launch_file_arguments, self.__debug)
                results[run] = worker.run()
            except unittest.SkipTest as skip:
                print(f"{run} is skipped: {skip}")
                cases = list(run.all_cases())
                results[run] = AllTheSame(cases, failed=False, reason=str(skip))
        return results
