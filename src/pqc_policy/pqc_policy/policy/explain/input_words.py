# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The inputs in words, by the names of their fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.inputs import Freshness, Link, Reading, Session, known
from pqc_policy.policy.wording import apart, counted

_NUMBERS: Mapping[str, str] = {
    "gap_p95_s": "gap between datagrams {:.3f} s",
    "loss": "{:.1%} lost",
    "rtt_s": "round trip {:.3f} s",
    "voltage_v": "{:.2f} V",
    "rate_mv_per_min": "{:+.0f} mV/min",
    "charge": "{:.0%} charged",
    "endurance_s": "{:.0f} s left",
    "temperature_c": "{:.1f} °C",
    "rate_c_per_min": "{:+.1f} °C/min",
    "load": "load {:.0%}",
    "memory": "{:.0%} of the memory in use",
    "epoch": "epoch {}",
    "key_age_s": "keys {:.0f} s old",
}
_IF_TRUE = {"rekeying": "a rekey is under way", "throttled": "throttled"}
_SOURCES = {"saturation": "measured while it was full", "streams": "measured"}


def age(reading: Reading[Any], config: PolicyConfig) -> str:
    freshness = reading.freshness(config.stale_s)
    if freshness is Freshness.MISSING:
        return "never received"
    if freshness is Freshness.STALE:
        old, limit = apart(reading.age_s, config.stale_s, 1)
        return f"{old} s old, more than {limit} s"
    return f"{reading.age_s:.1f} s old"


def described(name: str, value: Any) -> str:
    if name in ("armed", "warned"):
        return "yes" if value else "no"
    if not is_dataclass(value):
        return f"{value:.1f} W" if name == "power_w" else str(value)
    return ", ".join(_parts(value)) or "no values"


def _parts(value: Any) -> Iterator[str]:
    if isinstance(value, Session):
        yield value.suite or "none"
    for field in fields(value):
        content = getattr(value, field.name)
        if field.name in _NUMBERS and known(content) is not None:
            yield _NUMBERS[field.name].format(content)
        elif field.name in _IF_TRUE and content:
            yield _IF_TRUE[field.name]
    if isinstance(value, Link):
        yield from _of_link(value)
    elif isinstance(value, Session):
        yield from _of_session(value)


def _of_link(link: Link) -> Iterator[str]:
    rate_bytes_s = known(link.rate_bytes_s)
    if rate_bytes_s is not None:
        kbit_s = 8e-3 * rate_bytes_s
        number, unit = (kbit_s, "kbit/s") if kbit_s < 1000.0 else (1e-3 * kbit_s, "Mbit/s")
        source = _SOURCES.get(link.rate_source, link.rate_source)
        yield f"a link of {number:.4g} {unit}" + (f" ({source})" if source else "")
    if link.blackouts is not None:
        yield f"{counted(link.blackouts, 'blackout')} so far"


def _of_session(session: Session) -> Iterator[str]:
    if session.blacklisted:
        yield f"the tunnel excludes {counted(len(session.blacklisted), 'suite')}"
    if session.failure is not None:
        failure = session.failure
        yield f"the newest failed rekey was to {failure.suite} ({failure.reason})"
