# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Notices a second owner of the tunnel's names: another tunnel, or a program in its place.

ROS lets any node publish `status` and offer `rekey`, and a caller can't tell whose answer it got.
The policy judges a rekey by the session alone, but whoever flies has to know.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rclpy.node import Node

# The graph keeps a process that was killed for up to 20 s beside the one that takes its place.
PATIENCE_S = 30.0


@dataclass
class Doubles:
    """Takes the number of owners of each name now and then; times are in s of one clock."""

    patience_s: float = PATIENCE_S
    sentence: str = ""  # about what is wrong now; empty: nothing
    _since_s: dict[str, float] = field(default_factory=dict)

    def take(self, owners: dict[str, int], now_s: float) -> bool:
        """Take the numbers by full name; return whether the sentence is new."""
        self._since_s = {
            name: self._since_s.get(name, now_s) for name, count in owners.items() if count > 1
        }
        doubled = [name for name, since in self._since_s.items() if now_s - since > self.patience_s]
        before = self.sentence
        self.sentence = (
            f"More than one node offers {' and '.join(doubled)}: a second tunnel, or a program in "
            "the tunnel's place. What it says can be false."
            if doubled
            else ""
        )
        return bool(self.sentence) and self.sentence != before


def owners_of_tunnel(node: Node) -> dict[str, int]:
    """Return how many nodes own the tunnel's topic `status` and its service `rekey`."""
    status, rekey = node.resolve_topic_name("status"), node.resolve_service_name("rekey")
    return {status: node.count_publishers(status), rekey: node.count_services(rekey)}
