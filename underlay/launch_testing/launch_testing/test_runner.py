# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Launches the processes in the main thread while a second thread runs the tests."""

from __future__ import annotations

import sys
import threading
import unittest

from launch import LaunchDescription, LaunchService
from launch.actions import RegisterEventHandler
from launch.event_handlers import OnProcessExit, OnProcessStart
from launch.events.process import ProcessExited, RunningProcessEvent
from launch.launch_context import LaunchContext

from .loader import TestRun, bind_arguments
from .proc_info_handler import ProcInfoHandler
from .test_result import AllFailed, TestResult

READY_TIMEOUT_S = 15.0


def _run_suite(suite: unittest.TestSuite) -> TestResult:
    return unittest.TextTestRunner(verbosity=2, resultclass=TestResult).run(suite)


class _Worker:
    """Runs one test run."""

    def __init__(self, run: TestRun) -> None:
        self.__run = run
        self.__service = LaunchService(noninteractive=not sys.stdin.isatty())
        self.__proc_info = ProcInfoHandler()
        self.__ready = threading.Event()
        self.__results: TestResult | None = None
        self.__problem = "Launch stopped before the active tests finished."

    def run(self) -> unittest.TestResult:
        """Launch, test, shut down, test again."""
        description, context = self.__run.describe(self.__ready.set)
        arguments = {**context, **self.__run.param_args, "proc_info": self.__proc_info}
        bind_arguments(self.__run.pre_shutdown_tests, arguments)
        bind_arguments(self.__run.post_shutdown_tests, arguments)
        self.__service.include_launch_description(
            LaunchDescription(
                [
                    RegisterEventHandler(OnProcessStart(on_start=self.__note)),
                    RegisterEventHandler(OnProcessExit(on_exit=self.__note)),
                    description,
                ]
            )
        )
        threading.Thread(target=self.__test, name="tests", daemon=True).start()
        self.__service.run()
        if self.__results is None:
            print(f"Processes under test stopped before tests completed: {self.__problem}")
            for info in self.__proc_info:
                if isinstance(info, ProcessExited) and info.returncode != 0:
                    print(f"Process '{info.process_name}' exited with {info.returncode}")
            return AllFailed(list(self.__run.all_cases()), self.__problem)
        self.__results.append(_run_suite(self.__run.post_shutdown_tests))
        return self.__results

    def __note(self, event: RunningProcessEvent, _: LaunchContext) -> None:
        self.__proc_info.append(event)

    def __test(self) -> None:
        try:
            if self.__ready.wait(READY_TIMEOUT_S):
                self.__results = _run_suite(self.__run.pre_shutdown_tests)
            else:
                self.__problem = f"ReadyToTest was not reached within {READY_TIMEOUT_S} seconds."
        finally:
            self.__service.shutdown()


def run_tests(test_runs: list[TestRun]) -> dict[str, unittest.TestResult]:
    """Run one after the other; return the results by name."""
    results = {}
    for run in test_runs:
        if len(test_runs) > 1:
            print(f"\nStarting test run {run.name}")
        results[run.name] = _Worker(run).run()
    return results
