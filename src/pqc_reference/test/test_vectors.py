# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The reference peer's building blocks, against vectors and against other implementations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from hashlib import sha256, sha512
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.hashes import SHA256, SHA384
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from pqc_reference.crypto import key_schedule
from pqc_reference.crypto.aead import CIPHERS, Cipher, InvalidTag
from pqc_reference.crypto.key_schedule import HandshakeSecret, Kdf, PskKeys, Ratchet, Traffic
from pqc_reference.crypto.policy import every_suite_from, only
from pqc_reference.crypto.suites import all_suites, suite_named

VECTORS = Path(__file__).parents[2] / "pqc_tunnel" / "test" / "vectors"


def vectors(name: str) -> Iterator[dict[str, str]]:
    if not VECTORS.is_dir():
        pytest.skip("needs the source tree of pqc_tunnel")
    for block in (VECTORS / f"{name}.txt").read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if lines:
            fields = [line.partition("=") for line in lines]
            yield {key.strip(): value.strip() for key, _, value in fields}


# Each file has so many vectors.
FILES = {
    "aesgcm": {"aes_256_gcm": 66},
    "chacha20poly1305": {"chacha20_poly1305": 316},
    "ascon128a": {"ascon_128a": 192, "ascon_128a_lwc": 1089},
    "asconaead128": {"ascon_aead128": 252, "ascon_aead128_lwc": 1089},
}


@pytest.mark.parametrize("cipher", CIPHERS, ids=lambda cipher: cipher.token)
def test_ciphers_give_the_known_answers(cipher) -> None:
    for name, count in FILES[cipher.token].items():
        tried, common = 0, dict[str, bytes]()
        for vector in vectors(name):
            of = common | {
                key: bytes.fromhex(value)
                for key, value in vector.items()
                if key not in ("id", "kind")
            }
            # Where all have the same key and nonce, only the first one has them.
            common = {key: of[key] for key in ("key", "nonce") if name.endswith("_lwc")}
            nonce = of.get("iv", of.get("nonce", b""))
            associated_data = of.get("aad", of.get("ad", b""))
            text = of.get("msg", of.get("pt", b""))
            sealed = of["ct"] + of.get("tag", b"")
            box = cipher.under(of["key"])
            if vector.get("kind", "valid").startswith("valid"):
                assert box.encrypt(nonce, text, associated_data) == sealed
                assert box.decrypt(nonce, sealed, associated_data) == text
            else:
                with pytest.raises(InvalidTag):
                    box.decrypt(nonce, sealed, associated_data)
            tried += 1
        assert tried == count


@pytest.mark.parametrize("kdf", [key_schedule.SHA256, key_schedule.SHA384], ids=str)
def test_hkdf_gives_the_known_answers(kdf: Kdf) -> None:
    tried = 0
    for vector in vectors(f"hkdf_{kdf.name}"):
        if not vector["kind"].startswith("valid"):
            assert int(vector["size_decimal"]) > 255 * kdf.size
            continue
        salt, secret, info = (bytes.fromhex(vector[name]) for name in ("salt", "ikm", "info"))
        key = kdf.extract(salt, secret)
        size = int(vector["size_decimal"])
        assert kdf.expand(key, info, size) == bytes.fromhex(vector["okm"])
        tried += 1
    assert tried == {"sha256": 83, "sha384": 80}[kdf.name]


HASHES = {"sha256": SHA256(), "sha384": SHA384()}


def labelled(kdf: Kdf, secret: bytes, label: bytes, context: bytes, size: int) -> bytes:
    """EL, typed anew from the page, over another implementation of HKDF."""
    info = bytes([0, size, 5 + len(label)]) + b"pqm3 " + label + bytes([len(context)]) + context
    return HKDFExpand(HASHES[kdf.name], size, info).derive(secret)


def extracted(kdf: Kdf, salt: bytes, secret: bytes) -> bytes:
    """Extract, over another implementation of HMAC."""
    state = HMAC(salt, HASHES[kdf.name])
    state.update(secret)
    return state.finalize()


KDFS = pytest.mark.parametrize("kdf", [key_schedule.SHA256, key_schedule.SHA384], ids=str)


def test_the_hash_follows_from_the_suite() -> None:
    sizes = {suite.level: key_schedule.kdf_of(suite.wire_id).size for suite in all_suites()}
    assert sizes == {1: 32, 3: 32, 5: 48}
    assert key_schedule.kdf_of(b"\x09\x13\x09\x09\x09").name == "sha384"


@KDFS
@pytest.mark.parametrize("classical", [b"", b"\x55" * 32], ids=["post-quantum", "hybrid"])
@pytest.mark.parametrize("resumption", [b"", b"\x33" * 32, b"\x33" * 48], ids=len)
def test_the_key_schedule_is_that_of_the_protocol_page(
    kdf: Kdf, classical: bytes, resumption: bytes
) -> None:
    el, size = partial(labelled, kdf), kdf.size
    early = extracted(kdf, bytes(size), b"\x05" * 32)
    psk = PskKeys.of(b"\x05" * 32, kdf)
    assert psk.client_hello == el(early, b"ch", b"", size)
    assert psk.hello_retry == el(early, b"hr", b"", size)
    assert psk.client_finish == el(early, b"cf", b"", size)
    assert psk.boot == el(early, b"boot", b"", size)

    resumed = extracted(kdf, el(early, b"derived", b"", size), resumption or bytes(size))
    kem = b"\x44" * 64
    secrets = b"\x00\x40" + kem + bytes([0, len(classical)]) + classical
    assert key_schedule.key_exchange(kem, classical) == secrets
    agreed = extracted(kdf, el(resumed, b"derived", b"", size), secrets)
    th2, th3 = b"\x02" * 64, b"\x03" * 64
    ours = HandshakeSecret(psk, resumption, secrets)
    assert ours.drone_finish_key(th2) == el(agreed, b"fin d", th2, size)
    assert ours.gcs_finish_key(th2) == el(agreed, b"fin g", th2, size)
    assert ours.session_id(th3) == el(agreed, b"sid", th3, 8)
    assert ours.resumption(th3) == el(agreed, b"rms", th3, size)
    for cipher in CIPHERS:
        check_traffic(kdf, ours.traffic(cipher, th3), agreed, th3, cipher)


def check_traffic(
    kdf: Kdf, traffic: Traffic, secret: bytes, context: bytes, cipher: Cipher
) -> None:
    """Check the keys, IVs and key ids of both directions."""
    el = partial(labelled, kdf)
    key, nonce = (16, 16) if cipher.token.startswith("ascon") else (32, 12)
    assert traffic.d2g_key == el(secret, b"d2g key", context, key)
    assert traffic.g2d_key == el(secret, b"g2d key", context, key)
    assert traffic.d2g_iv == el(secret, b"d2g iv", context, nonce)
    assert traffic.g2d_iv == el(secret, b"g2d iv", context, nonce)
    for number, label in ((traffic.d2g_id, b"d2g id"), (traffic.g2d_id, b"g2d id")):
        assert number == int.from_bytes(el(secret, label, context, 3), "big") % (1 << 22)


@KDFS
def test_boot_keys_come_from_the_psk_the_random_and_the_challenge(kdf: Kdf) -> None:
    early = extracted(kdf, bytes(kdf.size), b"\x05" * 32)
    boot = labelled(kdf, early, b"boot", b"", kdf.size)
    secret = extracted(kdf, boot, b"r" * 32 + b"c" * 32)
    psk = PskKeys.of(b"\x05" * 32, kdf)
    for cipher in CIPHERS:
        ours = key_schedule.boot_traffic(psk, b"r" * 32, b"c" * 32, cipher)
        check_traffic(kdf, ours, secret, b"", cipher)


@KDFS
@pytest.mark.parametrize("anchor", [b"", b"idct" + b"c" * 96], ids=["plain", "one-time"])
def test_the_ratchet_is_that_of_the_protocol_page(kdf: Kdf, anchor: bytes) -> None:
    el = partial(labelled, kdf)
    early = extracted(kdf, bytes(kdf.size), b"\x05" * 32)
    rms, secret = b"\x33" * kdf.size, b"\x66" * 32 if anchor else b""
    resumed = extracted(kdf, el(early, b"derived", b"", kdf.size), rms)
    terms = (b"session!", 7, anchor, secret)
    ratchet = Ratchet(PskKeys.of(b"\x05" * 32, kdf), rms, *terms)
    of_drone, of_gcs = b"d" * 32, b"g" * 32
    text = b"session!" + b"\x07" + of_drone + anchor
    expected = extracted(kdf, el(resumed, b"rat d", b"", kdf.size), text)[:32]
    assert ratchet.drone_mac(of_drone) == expected
    if anchor:
        both = b"\0\x20" + secret + bytes([0, kdf.size]) + rms
        resumed = extracted(kdf, el(early, b"derived", b"", kdf.size), both)
    expected = extracted(kdf, el(resumed, b"rat g", b"", kdf.size), text + of_gcs)[:32]
    assert ratchet.gcs_mac(of_drone, of_gcs) == expected

    randoms = b"ratchet" + of_drone + of_gcs
    agreed = extracted(kdf, el(resumed, b"derived", b"", kdf.size), randoms)
    ours, th3 = ratchet.agree(of_drone, of_gcs)
    assert th3 == sha512(b"ratchet" + text + of_gcs).digest()
    assert ours.resumption(th3) == el(agreed, b"rms", th3, kdf.size)


def test_there_are_72_suites_of_the_paper_and_263_in_all() -> None:
    paper = [
        suite
        for suite in all_suites()
        if not suite.kem.token.startswith("frodo")
        and suite.kem.token not in ("hqc1", "hqc3", "hqc5")
        and not suite.signature.token.startswith("slh")
        and not suite.signature.token.endswith("f")
        and suite.cipher.token != "asconaead128"
    ]
    assert (len(paper), len(all_suites())) == (72, 263)


def test_the_policy_hash_is_that_of_the_protocol_page() -> None:
    suite = suite_named("cs-mlkem768-aesgcm-mldsa65")
    assert suite is not None
    expected = sha256(b"PQM3 policy\x00\x03\x03\x01\x02\x01\x02\x01").digest()
    assert only([suite], mode=3).hash == expected
    assert every_suite_from(1).hash != every_suite_from(1, experimental=True).hash
