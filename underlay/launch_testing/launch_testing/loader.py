# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Loads the test runs of a Python module."""

from __future__ import annotations

import functools
import inspect
import unittest
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from launch import LaunchDescription

from .actions import ReadyToTest


def cases(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from cases(test)
        else:
            yield test


class _Suite(unittest.TestSuite):
    """Keeps its tests after running them, because reports name them."""

    def _removeTestAtIndex(self, index: int) -> None:
        pass


class _Loader(unittest.TestLoader):
    """Loads the tests that run before, or those that run after the shutdown."""

    suiteClass = _Suite

    def __init__(self, after_shutdown: bool) -> None:
        super().__init__()
        self.__after_shutdown = after_shutdown

    def loadTestsFromTestCase(self, testCaseClass: type) -> unittest.TestSuite:
        if getattr(testCaseClass, "__post_shutdown_test__", False) != self.__after_shutdown:
            return self.suiteClass()
        # A class of its own for each run: arguments are bound to class methods as well.
        own = type(
            testCaseClass.__name__, (testCaseClass,), {"__module__": testCaseClass.__module__}
        )
        return super().loadTestsFromTestCase(own)


class TestRun:
    """One launch with the tests before and after its shutdown."""

    __test__ = False

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        param_args: dict[str, Any],
        module: ModuleType,
    ) -> None:
        self.function = function
        self.param_args = param_args
        self.pre_shutdown_tests = _Loader(after_shutdown=False).loadTestsFromModule(module)
        self.post_shutdown_tests = _Loader(after_shutdown=True).loadTestsFromModule(module)
        suffix = f"[{', '.join(map(str, param_args.values()))}]" if param_args else ""
        self.name = name + suffix
        for case in self.all_cases():
            method = case._testMethodName
            case._testMethodName = method + suffix
            setattr(case, case._testMethodName, getattr(case, method))

    def describe(
        self, on_ready: Callable[[], None]
    ) -> tuple[LaunchDescription, dict[str, Any]]:
        """Return the launch description and the context, with ReadyToTest bound to a function."""
        result = self.function()
        description, context = result if isinstance(result, tuple) else (result, {})
        for entity in description.entities:
            if isinstance(entity, ReadyToTest):
                entity.on_ready = on_ready
                return description, context
        raise Exception(
            "generate_test_description functions must return a LaunchDescription containing "
            "a ReadyToTest action"
        )

    def all_cases(self) -> Iterator[unittest.TestCase]:
        yield from cases(self.pre_shutdown_tests)
        yield from cases(self.post_shutdown_tests)


def bind_arguments(suite: unittest.TestSuite, arguments: dict[str, Any]) -> None:
    """Pass tests, their set-up and tear-down the arguments that they name."""

    def bind(function: Callable) -> Callable:
        names = inspect.signature(function).parameters
        return functools.partial(
            function, **{name: value for name, value in arguments.items() if name in names}
        )

    classes = set()
    for case in cases(suite):
        classes.add(type(case))
        for method in (case._testMethodName, "setUp", "tearDown"):
            setattr(case, method, bind(getattr(case, method)))
    for test_class in classes:
        for method in ("setUpClass", "tearDownClass"):
            setattr(test_class, method, bind(getattr(test_class, method)))


def LoadTestsFromPythonModule(module: ModuleType, *, name: str) -> list[TestRun]:
    """Return one test run, or one for each value of a parametrized description."""
    function = module.generate_test_description
    runs = function() if hasattr(function, "__parametrized__") else [(function, {})]
    return [TestRun(name, description, arguments, module) for description, arguments in runs]
