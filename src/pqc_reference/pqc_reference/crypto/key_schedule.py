# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Derives keys from the shared secrets ("Key schedule" of the protocol page)."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from hashlib import sha512

from pqc_reference.crypto.aead import Cipher

MAC_SIZE = 32
LEVEL_5 = 3  # parameter of a KEM of this level


def digest(*parts: bytes) -> bytes:
    """H of the protocol page: SHA-512, 64 bytes."""
    state = sha512()
    for part in parts:
        state.update(part)
    return state.digest()


@dataclass(frozen=True)
class Kdf:
    """HMAC and HKDF with one hash; `size` is N of the protocol page."""

    name: str
    size: int

    def hmac(self, key: bytes, *parts: bytes) -> bytes:
        """HMAC, uncut."""
        state = hmac.new(key, digestmod=self.name)
        for part in parts:
            state.update(part)
        return state.digest()

    def mac(self, key: bytes, *parts: bytes) -> bytes:
        """MAC of the protocol page: HMAC, cut to 32 bytes."""
        return self.hmac(key, *parts)[:MAC_SIZE]

    def mac_matches(self, received: bytes, key: bytes, *parts: bytes) -> bool:
        """Return whether a MAC is right, in constant time."""
        return hmac.compare_digest(received, self.mac(key, *parts))

    def extract(self, salt: bytes, secret: bytes) -> bytes:
        """HKDF-Extract (RFC 5869)."""
        return self.hmac(salt, secret)

    def expand(self, secret: bytes, info: bytes, size: int) -> bytes:
        """HKDF-Expand (RFC 5869)."""
        output, block, counter = b"", b"", 0
        while len(output) < size:
            counter += 1
            block = self.hmac(secret, block, info, bytes([counter]))
            output += block
        return output[:size]

    def expand_label(
        self, secret: bytes, label: str, context: bytes = b"", size: int | None = None
    ) -> bytes:
        """EL of the protocol page; N bytes if no other size is given."""
        size = self.size if size is None else size
        full_label = b"pqm3 " + label.encode("ascii")
        info = size.to_bytes(2, "big") + _prefixed(full_label, 1) + _prefixed(context, 1)
        return self.expand(secret, info, size)


SHA256, SHA384 = Kdf("sha256", 32), Kdf("sha384", 48)


def kdf_of(wire_id: bytes) -> Kdf:
    """Return the hash of a suite by its wire id, even if that names no suite."""
    return SHA384 if wire_id[1] & 0x0F == LEVEL_5 else SHA256


def _prefixed(text: bytes, size: int) -> bytes:
    return len(text).to_bytes(size, "big") + text


@dataclass(frozen=True)
class PskKeys:
    """The keys derived from the pre-shared key alone, with one hash."""

    kdf: Kdf
    client_hello: bytes = field(repr=False)
    hello_retry: bytes = field(repr=False)
    client_finish: bytes = field(repr=False)
    boot: bytes = field(repr=False)
    derived: bytes = field(repr=False)
    erase: bytes = field(repr=False)

    @classmethod
    def of(cls, psk: bytes, kdf: Kdf) -> PskKeys:
        """Derive them; `psk` has 32 bytes."""
        early_secret = kdf.extract(bytes(kdf.size), psk)
        labels = ("ch", "hr", "cf", "boot", "derived", "erase")
        return cls(kdf, *(kdf.expand_label(early_secret, label) for label in labels))

    def erase_mac(self, session: bytes, transaction: int) -> bytes:
        """Return the MAC by which the ground station asks a drone to erase its keys."""
        return self.kdf.mac(self.erase, b"erase" + session + transaction.to_bytes(4, "big"))

    def resumed(self, resumption: bytes) -> bytes:
        """RS of the protocol page; `resumption` is an rms, `of_session`, or empty."""
        return self.kdf.extract(self.derived, resumption or bytes(self.kdf.size))


class Psk:
    """A pre-shared key, and its keys for both hashes."""

    def __init__(self, psk: bytes) -> None:
        self._keys = {kdf: PskKeys.of(psk, kdf) for kdf in (SHA256, SHA384)}

    def keys(self, wire_id: bytes) -> PskKeys:
        return self._keys[kdf_of(wire_id)]


@dataclass(frozen=True)
class Traffic:
    """Keys, IVs and key ids of both directions: d2g drone to GCS, g2d GCS to drone."""

    d2g_key: bytes = field(repr=False)
    g2d_key: bytes = field(repr=False)
    d2g_iv: bytes = field(repr=False)
    g2d_iv: bytes = field(repr=False)
    d2g_id: int
    g2d_id: int


def traffic(kdf: Kdf, secret: bytes, context: bytes, cipher: Cipher) -> Traffic:
    """Derive the keys of both directions from HS, or from BK with an empty context."""

    def derive(label: str, size: int) -> bytes:
        return kdf.expand_label(secret, label, context, size)

    def key_id(label: str) -> int:
        return int.from_bytes(derive(label, 3), "big") & 0x3FFFFF

    return Traffic(
        derive("d2g key", cipher.key),
        derive("g2d key", cipher.key),
        derive("d2g iv", cipher.nonce),
        derive("g2d iv", cipher.nonce),
        key_id("d2g id"),
        key_id("g2d id"),
    )


def boot_traffic(psk: PskKeys, client_random: bytes, challenge: bytes, cipher: Cipher) -> Traffic:
    secret = psk.kdf.extract(psk.boot, client_random + challenge)
    return traffic(psk.kdf, secret, b"", cipher)


class HandshakeSecret:
    """HS of the protocol page, and what is derived from it."""

    def __init__(self, psk: PskKeys, resumption: bytes, fresh: bytes) -> None:
        """Mix the rms of the epoch that is rekeyed, or `of_session`, with fresh secrets."""
        self._kdf = psk.kdf
        salt = psk.kdf.expand_label(psk.resumed(resumption), "derived")
        self._secret = psk.kdf.extract(salt, fresh)

    def drone_finish_key(self, th2: bytes) -> bytes:
        """kfd: with it the drone confirms the keys."""
        return self._kdf.expand_label(self._secret, "fin d", th2)

    def gcs_finish_key(self, th2: bytes) -> bytes:
        """kfg: with it the GCS confirms the keys."""
        return self._kdf.expand_label(self._secret, "fin g", th2)

    def traffic(self, cipher: Cipher, th3: bytes) -> Traffic:
        return traffic(self._kdf, self._secret, th3, cipher)

    def session_id(self, th3: bytes) -> bytes:
        """Return the id of a new session; a rekey keeps the one it has."""
        return self._kdf.expand_label(self._secret, "sid", th3, 8)

    def resumption(self, th3: bytes) -> bytes:
        """rms: the secret for the rekey that follows."""
        return self._kdf.expand_label(self._secret, "rms", th3)


def of_session(anchor_secret: bytes, former: bytes) -> bytes:
    """Return what a new session has in place of an rms; empty if it has neither secret.

    A ratchet with a one-time key has it, too; there `former` is the rms of the live epoch.
    """
    return key_exchange(anchor_secret, former) if anchor_secret or former else b""


def former_id(wire_id: bytes, resumption: bytes) -> bytes:
    """Return the name of the rms of an epoch with this suite."""
    return kdf_of(wire_id).expand_label(resumption, "former", b"", 8)


def key_exchange(kem_secret: bytes, x25519_secret: bytes) -> bytes:
    """Return the fresh secrets of a handshake; without hybrid mode the second is empty."""
    return _prefixed(kem_secret, 2) + _prefixed(x25519_secret, 2)


@dataclass(frozen=True)
class Ratchet:
    """The keys and texts of one ratchet ("Ratchet" of the protocol page)."""

    psk: PskKeys
    resumption: bytes = field(repr=False)  # rms of the live epoch
    session_id: bytes
    next_epoch: int
    anchor: bytes = b""  # id and ciphertext of a one-time key
    anchor_secret: bytes = field(default=b"", repr=False)

    @property
    def _mixed(self) -> bytes:
        """The rms, with the secret of the one-time key."""
        return of_session(self.anchor_secret, self.resumption) if self.anchor else self.resumption

    def _mac(self, secret: bytes, label: str, *texts: bytes) -> bytes:
        kdf = self.psk.kdf
        key = kdf.expand_label(self.psk.resumed(secret), label)
        return kdf.mac(key, self.session_id, bytes([self.next_epoch]), *texts)

    def drone_mac(self, drone_random: bytes) -> bytes:
        return self._mac(self.resumption, "rat d", drone_random, self.anchor)

    def gcs_mac(self, drone_random: bytes, gcs_random: bytes) -> bytes:
        return self._mac(self._mixed, "rat g", drone_random, self.anchor, gcs_random)

    def agree(self, drone_random: bytes, gcs_random: bytes) -> tuple[HandshakeSecret, bytes]:
        """Return HS and th3 of the next epoch."""
        randoms = drone_random + gcs_random
        secret = HandshakeSecret(self.psk, self._mixed, b"ratchet" + randoms)
        texts = (bytes([self.next_epoch]), drone_random, self.anchor, gcs_random)
        return secret, digest(b"ratchet", self.session_id, *texts)
