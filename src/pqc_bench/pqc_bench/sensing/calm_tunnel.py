# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The messages of a drone's tunnel whose link loses nothing, and which rekeys when it is asked."""

from __future__ import annotations

from typing import Any

from pqc_policy.policy.suites import DEFAULT_SUITE, SUITES, find_suite
from pqc_testing.ports import LOOPBACK

from pqc_msgs.msg import (
    DropCounters,
    HandshakeTiming,
    LinkReport,
    LinkState,
    LinkView,
    PathStatus,
    SuiteInfo,
    SuiteList,
    TrafficCounters,
    TunnelEvent,
    TunnelStatus,
)

_PEER, _LINK, _ADDRESS = "gcs", "udp", f"{LOOPBACK}:14550"
_PLAIN_BYTES, _SEALED_BYTES = 67, 92  # of a datagram
_WINDOW_S = 5.0  # of the figures of a LinkView
_REPORT_AGE_S = 0.2
_RTT_S = 0.04
_KEY_BITS = 256
_NEW_SESSION = HandshakeTiming(total_s=0.09, verify_s=2e-4, encapsulate_s=1e-4)
_REKEY = HandshakeTiming(total_s=0.05, verify_s=2e-4, encapsulate_s=1e-4, prepared_ahead=True)
_RATCHET = HandshakeTiming(total_s=0.045)


class CalmTunnel:
    """A tunnel that carries so many datagrams a second each way; times are in s since its start."""

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._suite = DEFAULT_SUITE
        self._epoch = 0
        self._keys_since_s = 0.0
        self._rekeys = self._ratchets = 0
        self._timing = _NEW_SESSION

    def suites(self, stamp: Any) -> SuiteList:
        """Return the suites of the registry, those of the shipped parameters as allowed."""
        least = _level(DEFAULT_SUITE)
        return SuiteList(
            stamp=stamp,
            suites=[
                SuiteInfo(
                    id=suite.id,
                    kem=suite.kem,
                    signature=suite.signature,
                    aead=suite.aead,
                    level=suite.level,
                    tier=suite.tier,
                    experimental=suite.experimental,
                    available=True,
                    allowed=suite.level >= least and not suite.experimental,
                )
                for suite in SUITES
            ],
        )

    def link(self, stamp: Any, now_s: float) -> LinkReport:
        """Return the report of a time."""
        sealed = self._sent(now_s)
        return LinkReport(
            stamp=stamp,
            peer=_PEER,
            local=self._view(now_s),
            remote_valid=now_s >= _REPORT_AGE_S,
            remote_age_s=_REPORT_AGE_S,
            remote=self._view(max(now_s - _REPORT_AGE_S, 0.0)),
            clock_valid=True,
            rtt_s=_RTT_S,
            clock_offset_s=0.002,
            clock_error_s=_RTT_S / 2.0,
            clock_drift_ppm=3.0,
            delay_to_peer_s=_RTT_S / 2.0,
            delay_from_peer_s=_RTT_S / 2.0,
            paths=[
                PathStatus(
                    link=_LINK,
                    type=_LINK,
                    state="up",
                    address=_ADDRESS,
                    carries=True,
                    rate_source="unknown",
                    frames_in=sealed,
                    bytes_in=_SEALED_BYTES * sealed,
                    frames_out=sealed,
                    bytes_out=_SEALED_BYTES * sealed,
                )
            ],
        )

    def status(
        self, stamp: Any, now_s: float, state: int = TunnelStatus.STATE_ESTABLISHED
    ) -> TunnelStatus:
        """Return the status of a time."""
        sent = self._sent(now_s)
        return TunnelStatus(
            stamp=stamp,
            role=TunnelStatus.ROLE_DRONE,
            role_text="drone",
            peer=_PEER,
            peer_address=_ADDRESS,
            state=state,
            state_text="rekeying" if state == TunnelStatus.STATE_REKEYING else "established",
            encrypted=True,
            since_heard_s=1.0 / self._rate_hz,
            suite=self._suite,
            level=_level(self._suite),
            aead_key_bits=_KEY_BITS,
            session="0123456789abcdef",
            epoch=self._epoch,
            key_age_s=now_s - self._keys_since_s,
            packets_under_key=sent - self._sent(self._keys_since_s),
            handshakes=1 + self._rekeys,
            rekeys=self._rekeys,
            ratchets=self._ratchets,
            handshake=self._timing,
            prekeys=1,
            links=[LinkState(name=_LINK, state="up", carries=True)],
            traffic=TrafficCounters(
                plain_in_packets=sent,
                plain_in_bytes=_PLAIN_BYTES * sent,
                plain_out_packets=sent,
                plain_out_bytes=_PLAIN_BYTES * sent,
                cipher_in_packets=sent,
                cipher_in_bytes=_SEALED_BYTES * sent,
                cipher_out_packets=sent,
                cipher_out_bytes=_SEALED_BYTES * sent,
            ),
            drops=DropCounters(),
        )

    def rekey(
        self, stamp: Any, now_s: float, suite: str, *, ratchet: bool
    ) -> list[TunnelStatus | TunnelEvent]:
        """Change the keys; return what is published meanwhile. An empty suite keeps its own."""
        target = suite or self._suite
        published = [
            self._event(stamp, TunnelEvent.REKEY_STARTED, "rekey_started", target),
            self.status(stamp, now_s, TunnelStatus.STATE_REKEYING),
        ]
        self._suite, self._epoch, self._keys_since_s = target, (self._epoch + 1) % 256, now_s
        self._rekeys += 1
        self._ratchets += ratchet
        self._timing = _RATCHET if ratchet else _REKEY
        return [
            *published,
            self._event(stamp, TunnelEvent.REKEY_COMMITTED, "rekey_committed", target),
            self._event(stamp, TunnelEvent.REKEY_CONFIRMED, "rekey_confirmed", target),
            self.status(stamp, now_s),
        ]

    def _event(self, stamp: Any, kind: int, name: str, suite: str) -> TunnelEvent:
        return TunnelEvent(
            kind=kind,
            kind_text=name,
            stamp=stamp,
            peer=_PEER,
            suite=suite,
            epoch=self._epoch,
            text=name.replace("_", " "),
        )

    def _sent(self, now_s: float) -> int:
        return round(now_s * self._rate_hz)

    def _view(self, now_s: float) -> LinkView:
        apart_s = 1.0 / self._rate_hz
        return LinkView(
            window_s=min(now_s, _WINDOW_S),
            packets_per_s=float(self._rate_hz),
            bytes_per_s=float(_SEALED_BYTES * self._rate_hz),
            gap_p95_s=1.5 * apart_s,
            longest_silence_s=3.0 * apart_s,
            jitter_s=0.2 * apart_s,
            packets=self._sent(now_s),
        )


def _level(suite_id: str) -> int:
    suite = find_suite(suite_id)
    return 0 if suite is None else suite.level
