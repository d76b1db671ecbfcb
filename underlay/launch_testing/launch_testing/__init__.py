# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of processes that a launch description starts."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = ["parametrize", "post_shutdown_test"]


def post_shutdown_test() -> Callable[[type], type]:
    """Run the tests of a class after all processes have ended."""

    def decorate(test_class: type) -> type:
        test_class.__post_shutdown_test__ = True
        return test_class

    return decorate


def parametrize(argname: str, argvalues: Iterable[Any]) -> Callable[[Callable], Callable]:
    """Launch and test once for each of the values."""

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def descriptions() -> Iterator[tuple[Callable, dict[str, Any]]]:
            for value in argvalues:
                arguments = {argname: value}
                yield functools.partial(function, **arguments), arguments

        descriptions.__parametrized__ = True
        return descriptions

    return decorate
