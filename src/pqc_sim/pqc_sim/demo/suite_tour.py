# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which suite a rekey goes to next: through a few that differ in everything."""

from __future__ import annotations

from collections.abc import Collection

TOUR = (
    "cs-mlkem768-aesgcm-mldsa65",
    "cs-mlkem1024-chacha20poly1305-falcon1024",
    "cs-mlkem512-ascon128a-mldsa44",
    "cs-frodokem976aes-aesgcm-mldsa65",
    "cs-mlkem1024-aesgcm-mldsa87",
)


def next_suite(current: str, usable: Collection[str]) -> str:
    """Return the next usable suite of the tour; empty (the same suite) if there is no other."""
    start = TOUR.index(current) + 1 if current in TOUR else 0
    for suite in (*TOUR[start:], *TOUR[:start]):
        if suite in usable and suite != current:
            return suite
    return ""
