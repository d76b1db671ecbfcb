# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Who may connect before having proved anything ("Before authentication" of the protocol page)."""

from __future__ import annotations

from collections import Counter, OrderedDict
from ipaddress import IPv4Address, ip_address

_MOST_CONNECTIONS = 16
_MOST_PER_ADDRESS = 2
_RATE_PER_S = 20.0
_BURST = 5.0
_MOST_REMEMBERED = 1024
_IPV6_SITE_BITS = 64


class Doorkeeper:
    """Counts connections in all and by address, and how fast they come."""

    def __init__(self) -> None:
        """Begin with nobody there."""
        self._open: Counter[str] = Counter()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # tokens, when

    @property
    def busy(self) -> bool:
        """Whether more than half of the connections are taken."""
        return 2 * self._open.total() > _MOST_CONNECTIONS

    def admit(self, host: str, now: float) -> bool:
        """Let a connection in, until it is released; or don't."""
        full = self._open.total() >= _MOST_CONNECTIONS
        if full or self._open[host] >= _MOST_PER_ADDRESS or not self._take_token(host, now):
            return False
        self._open[host] += 1
        return True

    def release(self, host: str) -> None:
        """Let a connection go."""
        self._open[host] -= 1

    def _take_token(self, host: str, now: float) -> bool:
        tokens, since = self._buckets.pop(_site(host), (_BURST, now))
        tokens = min(_BURST, tokens + (now - since) * _RATE_PER_S)
        allowed = tokens >= 1.0
        self._buckets[_site(host)] = (tokens - 1.0 if allowed else tokens, now)
        if len(self._buckets) > _MOST_REMEMBERED:
            self._buckets.popitem(last=False)
        return allowed


def _site(host: str) -> str:
    """Return an IPv4 address, or the /64 of an IPv6 one."""
    address = ip_address(host.partition("%")[0])
    if isinstance(address, IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(int(address) >> _IPV6_SITE_BITS)
