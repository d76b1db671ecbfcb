# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Text from elsewhere as it is shown in logs, messages and terminals; the tunnel has the same rule.

What would end the line, move the cursor or turn the reading direction, and what is no character at
all, becomes an escape that can be seen.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from typing import Any

MOST_SHOWN = 4096  # characters of a line
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_HIDDEN_IN_LINES = re.compile(_HIDDEN.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))
_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def shown(text: object, most: int = MOST_SHOWN) -> str:
    """Return a text as one line that is harmless where it is shown; a longer one is cut."""
    line = str(text)
    return _HIDDEN.sub(_escape, line[:most]) + ("…" if len(line) > most else "")


def shown_lines(text: str) -> str:
    """Return several lines of one's own, of any length: line ends and tabs stay."""
    return _HIDDEN_IN_LINES.sub(_escape, text)


class Fault(ValueError):
    """A fault; its text is one sentence for a person."""

    def __init__(self, sentence: object) -> None:
        super().__init__(shown(sentence))


@contextmanager
def shown_streams() -> Iterator[None]:
    """Let nothing reach the standard streams that shown_lines() does not let pass; a decorator."""
    with ExitStack() as stack:
        if sys.stdout is not None:
            stack.enter_context(redirect_stdout(_Shown(sys.stdout)))
        if sys.stderr is not None:
            stack.enter_context(redirect_stderr(_Shown(sys.stderr)))
        yield


class _Shown:
    """A stream of text through shown_lines()."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(shown_lines(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if found[0] in _NAMED:
        return _NAMED[found[0]]
    # Bytes that are no UTF-8, as os.fsdecode() and surrogateescape write them.
    byte = code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else code
    return f"\\x{byte:02x}" if byte < 0x80 or byte != code else f"\\u{code:04x}"
