# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Decorators for test descriptions and test classes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any


def post_shutdown_test() -> Callable[[type], type]:
    """Run the tests of a class after all processes have ended."""

    def decorate(test_class: type) -> type:
        if not isinstance(test_class, type):
            raise TypeError("post_shutdown_test should decorate test classes")
        test_class.__post_shutdown_test__ = True
        return test_class

    return decorate


def parametrize(argnames: str, argvalues: Iterable[Any]) -> Callable[[Callable], Callable]:
    """Launch and test once for each of the values; names are separated by commas."""
    names = [name.strip() for name in argnames.split(",") if name.strip()]
    rows = [row if isinstance(row, tuple) else (row,) for row in argvalues]

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def descriptions() -> Iterator[tuple[Callable, dict[str, Any]]]:
            for row in rows:
                arguments = dict(zip(names, row, strict=True))
                bound = functools.partial(function, **arguments)
                yield functools.update_wrapper(bound, function), arguments

        descriptions.__parametrized__ = True
        return descriptions

    return decorate


def ready_to_test_action_timeout(timeout: float) -> Callable[[Callable], Callable]:
    """Wait this long (seconds) for ReadyToTest instead of 15 s."""

    def decorate(function: Callable) -> Callable:
        function.__ready_to_test_action_timeout__ = timeout
        return function

    return decorate
