# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The suites and modes that an end allows, and the hash by which both ends compare them."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from pqc_reference.crypto.suites import Suite, all_suites

HYBRID_X25519 = 1
DRONE_SIGNATURE = 2


@dataclass(frozen=True)
class Policy:
    """Allowed suites, lowest level and key-exchange mode."""

    allowed: frozenset[Suite]
    floor: int
    mode: int

    @property
    def hybrid(self) -> bool:
        return bool(self.mode & HYBRID_X25519)

    @property
    def drone_signs(self) -> bool:
        return bool(self.mode & DRONE_SIGNATURE)

    @property
    def hash(self) -> bytes:
        """The policy_hash of the ClientHello."""
        ids = sorted(suite.wire_id for suite in self.allowed)
        return sha256(b"PQM3 policy\0" + bytes([self.mode, self.floor]) + b"".join(ids)).digest()


def every_suite_from(floor: int, *, experimental: bool = False, mode: int = 0) -> Policy:
    """Allow all suites of a level and above; HQC only with experimental ones."""
    allowed = (
        s for s in all_suites() if s.level >= floor and (experimental or not s.kem.experimental)
    )
    return Policy(frozenset(allowed), floor, mode)


def only(suites: list[Suite], *, mode: int = 0) -> Policy:
    """Allow a list of suites; the floor is the lowest level among them."""
    return Policy(frozenset(suites), min(suite.level for suite in suites), mode)
