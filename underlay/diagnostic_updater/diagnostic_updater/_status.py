# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A diagnostic status with helpers for filling it in."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue


class DiagnosticStatusWrapper(DiagnosticStatus):
    """A DiagnosticStatus. Levels are the message's own constants, which are single bytes."""

    def summary(self, *args: object) -> None:
        """Take level and message, or those of another status."""
        self.level, self.message = _level_and_message(args)

    def clearSummary(self) -> None:
        """Back to OK and no message."""
        self.summary(DiagnosticStatus.OK, "")

    def mergeSummary(self, *args: object) -> None:
        """Keep the worse level; messages of the same kind, trouble or not, are joined."""
        level, message = _level_and_message(args)
        ok = DiagnosticStatus.OK
        if (level > ok) == (self.level > ok):
            self.message = "; ".join(text for text in (self.message, message) if text)
        elif level > self.level:
            self.message = message
        self.level = max(self.level, level)

    def add(self, key: str, val: str) -> None:
        """Append a value under a key."""
        self.values.append(KeyValue(key=key, value=val))


def _level_and_message(args: tuple[object, ...]) -> tuple[bytes, str]:
    if len(args) == 1:
        return args[0].level, args[0].message
    level, message = args
    return level, str(message)
