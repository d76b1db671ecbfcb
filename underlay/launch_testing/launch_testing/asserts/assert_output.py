# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Output."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..util.proc_lookup import resolveProcesses

if TYPE_CHECKING:
    from launch.actions import ExecuteProcess

    from ..io_handler import IoHandler

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def find_text(expected: Any, text: str, start: int = 0) -> int:
    """Return where a text, a pattern or a sequence of them ends in the text, or -1."""
    if isinstance(expected, str):
        position = text.find(expected, start)
        return -1 if position < 0 else position + len(expected)
    if isinstance(expected, re.Pattern):
        match = expected.search(text, start)
        return -1 if match is None else match.end()
    if not isinstance(expected, Iterable):
        raise ValueError("Unknown format for expected text")
    for part in expected:
        start = find_text(part, text, start)
        if start < 0:
            return -1
    return start


def assertInStream(
    proc_output: IoHandler,
    expected_output: Any,
    process: ExecuteProcess | str | None,
    cmd_args: str | list[str] | object | None = None,
    *,
    output_filter: Callable[[str], str] | None = None,
    strict_proc_matching: bool = True,
    strip_ansi_escape_sequences: bool = True,
    stream: str = "stderr",
) -> None:
    """Assert that a matching process has written the text to 'stdout' or 'stderr'."""
    if stream not in ("stdout", "stderr"):
        raise ValueError("Invalid value for stream; must be 'stdout' or 'stderr'")
    actions = resolveProcesses(
        proc_output,
        process=process,
        cmd_args=cmd_args,
        strict_proc_matching=strict_proc_matching,
    )
    for action in actions:
        raw = b"".join(
            event.text for event in proc_output[action] if getattr(event, f"from_{stream}")
        )
        text = raw.decode(errors="replace").replace("\r\n", "\n")
        if strip_ansi_escape_sequences:
            text = _ANSI.sub("", text)
        if output_filter is not None:
            text = output_filter(text)
        if find_text(expected_output, text) >= 0:
            return
    names = ", ".join(sorted(action.process_details["name"] for action in actions))
    raise AssertionError(
        f"Did not find '{expected_output}' in output for any of the matching processes: {names}"
    )


def assertInStdout(
    proc_output: IoHandler,
    expected_output: Any,
    process: ExecuteProcess | str | None,
    cmd_args: str | list[str] | object | None = None,
    **kwargs: Any,
) -> None:
    """Assert that a matching process has written the text to its standard output."""
    assertInStream(proc_output, expected_output, process, cmd_args, stream="stdout", **kwargs)


def assertInStderr(
    proc_output: IoHandler,
    expected_output: Any,
    process: ExecuteProcess | str | None,
    cmd_args: str | list[str] | object | None = None,
    **kwargs: Any,
) -> None:
    """Assert that a matching process has written the text to its standard error."""
    assertInStream(proc_output, expected_output, process, cmd_args, stream="stderr", **kwargs)


def assertDefaultStream() -> str:
    """Return the stream that assertions look at if none is given."""
    return "stderr"
