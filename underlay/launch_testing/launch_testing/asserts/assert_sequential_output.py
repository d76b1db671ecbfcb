# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Output in an order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..util.proc_lookup import resolveProcesses

if TYPE_CHECKING:
    from launch.actions import ExecuteProcess

    from ..io_handler import IoHandler


class SequentialTextChecker:
    """Looks for each text behind the one found before."""

    def __init__(self, output: Sequence[str]) -> None:
        self.__text = "".join(output)
        self.__position = 0

    def assertInText(self, msg: str) -> None:
        """Assert that the text follows."""
        position = self.__text.find(msg, self.__position)
        rest = self.__text[self.__position : self.__position + 400]
        assert position >= 0, (
            f"'{msg}' not found in sequence after previous match. What follows there:\n{rest}"
        )
        self.__position = position + len(msg)

    assertInStdout = assertInText


@contextmanager
def assertSequentialStdout(
    proc_output: IoHandler,
    process: ExecuteProcess | str,
    cmd_args: str | list[str] | object | None = None,
) -> Iterator[SequentialTextChecker]:
    """Check the output of one process in its order."""
    action = resolveProcesses(proc_output, process=process, cmd_args=cmd_args)[0]
    yield SequentialTextChecker([event.text.decode() for event in proc_output[action]])
