# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The GCS's challenges, which need no state, and its memory of the hellos that it has answered."""

from __future__ import annotations

import hmac
import secrets

from pqc_reference.wire.messages import ClientHello

BUCKET_S = 10.0
BUCKETS = 3
_BURST = 3
_PER_S = 1.0


class Challenges:
    """Challenges bound to an address, a drone and a random, valid for 20 to 30 s."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(32)

    def make(self, hello: ClientHello, sender: object, now: float) -> bytes:
        """Return the challenge of the present."""
        return self._of(hello, sender, int(now // BUCKET_S))

    def is_valid(self, hello: ClientHello, sender: object, now: float) -> bool:
        """Whether a hello brings a challenge of the present or one of the last two buckets."""
        bucket = int(now // BUCKET_S)
        valid = (
            self._of(hello, sender, number) for number in range(bucket - BUCKETS + 1, bucket + 1)
        )
        return any([hmac.compare_digest(hello.challenge, challenge) for challenge in valid])

    def _of(self, hello: ClientHello, sender: object, bucket: int) -> bytes:
        names = repr(sender).encode() + hello.drone_id + hello.client_random
        text = names + bucket.to_bytes(8, "big", signed=True)
        return hmac.digest(self._secret, text, "sha256")


class Randoms:
    """The randoms of one drone that boot keys were made for, and how often they are made."""

    def __init__(self) -> None:
        self._seen: dict[bytes, float] = {}  # the time at which the challenge of each expires
        self._tokens, self._counted = float(_BURST), 0.0

    def is_repeated(self, client_random: bytes, now: float) -> bool:
        """Return whether boot keys were made for a random."""
        self._seen = {random: until for random, until in self._seen.items() if now < until}
        return client_random in self._seen

    def use(self, client_random: bytes, now: float) -> bool:
        """Remember a random, unless boot keys are asked for too often; return whether they are not.

        At most once a second, after a burst of 3.
        """
        self._tokens = min(self._tokens + (now - self._counted) * _PER_S, float(_BURST))
        self._counted = now
        if self._tokens < 1.0:
            return False
        self._tokens -= 1.0
        self._seen[client_random] = now + BUCKETS * BUCKET_S
        return True
