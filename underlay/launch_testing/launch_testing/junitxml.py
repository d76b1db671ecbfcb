# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Results as a JUnit report."""

from __future__ import annotations

import unittest
import xml.etree.ElementTree as ET
from collections.abc import Mapping


def unittestResultsToXml(
    *, name: str, test_results: Mapping[str, unittest.TestResult]
) -> ET.ElementTree:
    """Return a report with one suite for each test run."""
    suites = [_suite(run, result) for run, result in test_results.items()]
    root = ET.Element("testsuites", name=name)
    for key in ("tests", "failures", "errors"):
        root.set(key, str(sum(int(suite.get(key)) for suite in suites)))
    root.set("time", str(round(sum(float(suite.get("time")) for suite in suites), 3)))
    root.extend(suites)
    return ET.ElementTree(root)


def _suite(name: str, result: unittest.TestResult) -> ET.Element:
    suite = ET.Element(
        "testsuite",
        name=name,
        tests=str(result.testsRun),
        failures=str(len(result.failures)),
        errors=str(len(result.errors)),
        skipped=str(len(result.skipped)),
        time=str(round(sum(result.testTimes.values()), 3)),
    )
    for case, duration in result.testTimes.items():
        class_name, _, method = case.id().rpartition(".")
        if "[" in class_name:  # a parameter with a dot in it
            class_name, _, method = case.id().partition("[")[0].rpartition(".")
            method += "[" + case.id().partition("[")[2]
        element = ET.SubElement(
            suite, "testcase", classname=class_name, name=method, time=str(round(duration, 3))
        )
        _add_outcomes(element, case, result)
    known = set(result.testTimes)
    for case, message in result.errors:
        if case not in known:  # an error in setUpClass, for example, belongs to no test
            element = ET.SubElement(suite, "testcase", classname=name, name=str(case), time="0")
            ET.SubElement(element, "error", message=message)
    return suite


def _add_outcomes(
    element: ET.Element, case: unittest.TestCase, result: unittest.TestResult
) -> None:
    for tag, outcomes in (
        ("failure", result.failures),
        ("error", result.errors),
        ("skipped", result.skipped),
    ):
        for other, message in outcomes:
            # A failed sub-test names the test it belongs to.
            if case in (other, getattr(other, "test_case", None)):
                ET.SubElement(element, tag, message=message)
