# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Results with each test and its duration."""

from __future__ import annotations

import time
import unittest
from typing import Any


class TestResult(unittest.TextTestResult):
    __test__ = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.testTimes: dict[unittest.TestCase, float] = {}

    def startTest(self, test: unittest.TestCase) -> None:
        self.testTimes[test] = time.monotonic()
        super().startTest(test)

    def stopTest(self, test: unittest.TestCase) -> None:
        """Store the duration in seconds."""
        self.testTimes[test] = time.monotonic() - self.testTimes[test]
        super().stopTest(test)

    def append(self, other: TestResult) -> None:
        self.testTimes.update(other.testTimes)
        self.testsRun += other.testsRun
        for kind in ("failures", "errors", "skipped", "expectedFailures", "unexpectedSuccesses"):
            getattr(self, kind).extend(getattr(other, kind))


class AllFailed(unittest.TestResult):
    """The result of tests that could not run."""

    def __init__(self, cases: list[unittest.TestCase], reason: str) -> None:
        super().__init__()
        self.testsRun = len(cases)
        self.testTimes = {case: 0.0 for case in cases}
        self.failures = [(case, reason) for case in cases]

    def wasSuccessful(self) -> bool:
        """Return False, also if there was no test."""
        return False
