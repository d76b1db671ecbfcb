# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's status as far as it tells of protection, and what follows from a flight of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pqc_msgs.msg import TunnelStatus

# Drops that keys may cause: the end lacks those of a frame, or has none for a datagram.
_OF_KEYS = ("unknown", "auth_fail", "decrypt_fail", "no_session")


@dataclass(frozen=True)
class Seen:
    """One status; times in s of the wall clock."""

    at_s: float
    session: str
    key_age_s: float
    renewals: int  # so far
    classes: tuple[str, ...]  # of the secrets that the keys depend on
    fetching: bool
    exchange_bytes: int  # so far, both ways
    fetch_bytes: int


def class_of(family: str, form: str, key: str) -> str:
    """Return the class of a secret: codes tell the kind of key, since an anchor has some."""
    return f"{family} {form} {key}" if family == "codes" else f"{family} {form}"


def seen(status: TunnelStatus) -> Seen:
    return Seen(
        at_s=status.stamp.sec + status.stamp.nanosec / 1e9,
        session=status.session,
        key_age_s=status.key_age_s,
        renewals=status.rekeys,
        classes=tuple(class_of(one.family, one.form, one.key) for one in status.layers),
        fetching=any(0.0 <= one.progress < 1.0 and not one.ready for one in status.fetches),
        exchange_bytes=status.exchange_bytes,
        fetch_bytes=status.fetch_bytes,
    )


def drops_of_keys(status: TunnelStatus) -> int:
    """Return how many datagrams an end has dropped, so far, as it does for want of keys."""
    return sum(getattr(status.drops, cause) for cause in _OF_KEYS)


def began_s(flight: Sequence[Seen]) -> float | None:
    """Return when the first session began; None without one."""
    return next((one.at_s - one.key_age_s for one in flight if one.session), None)


def protection(flight: Sequence[Seen]) -> dict[str, Any]:
    """Return when each class of secrets came, and how old the keys became."""
    with_keys = [one for one in flight if one.session]
    start_s = began_s(with_keys) or 0.0
    seconds_to: dict[str, float] = {}
    for one in with_keys:
        for name in one.classes:
            seconds_to.setdefault(name, round(max(one.at_s - start_s, 0.0), 1))
    fetching = [one.key_age_s for one in with_keys if one.fetching]
    first, last = (with_keys[0], with_keys[-1]) if with_keys else (None, None)
    return {
        "seconds_to": seconds_to,
        "sessions": len({one.session for one in with_keys}),
        "renewals": last.renewals - first.renewals if first and last else 0,
        # The greatest age of the keys while a key was fetched; None: none was
        "renewal_gap_s": round(max(fetching), 1) if fetching else None,
        "exchange_bytes": last.exchange_bytes - first.exchange_bytes if first and last else 0,
        "fetch_bytes": last.fetch_bytes - first.fetch_bytes if first and last else 0,
    }
