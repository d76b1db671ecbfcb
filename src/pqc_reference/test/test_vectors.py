# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The reference peer's building blocks, against vectors and against other implementations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from hypothesis import given
from hypothesis import strategies as st
from pqc_reference.aead import InvalidTag, aead
from pqc_reference.control import Control
from pqc_reference.epoch_keys import Dropped, EpochKeys, FrameType
from pqc_reference.key_schedule import HandshakeSecrets, PskKeys
from pqc_reference.key_slots import KeySlots
from pqc_reference.messages import ClientFinish, ClientHello, Malformed, MessageType, ServerHello
from pqc_reference.policy import every_suite_from, only
from pqc_reference.replay_window import ReplayWindow, Verdict
from pqc_reference.suites import CIPHERS, all_suites, suite_named

from pqc_reference import control, key_schedule, messages

VECTORS = Path(__file__).parents[2] / "pqc_tunnel" / "test" / "vectors"


def vectors(name: str) -> Iterator[dict[str, str]]:
    """Yield the vectors of a file as fields."""
    if not VECTORS.is_dir():
        pytest.skip("needs the source tree of pqc_tunnel")
    for block in (VECTORS / f"{name}.txt").read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if lines:
            fields = [line.partition("=") for line in lines]
            yield {key.strip(): value.strip() for key, _, value in fields}


FILES = {
    "aesgcm": ("aes_256_gcm",),
    "chacha20poly1305": ("chacha20_poly1305",),
    "ascon128a": ("ascon_128a", "ascon_128a_lwc"),
    "asconaead128": ("ascon_aead128", "ascon_aead128_lwc"),
}


@pytest.mark.parametrize("cipher", CIPHERS, ids=lambda cipher: cipher.token)
def test_ciphers_give_the_known_answers(cipher) -> None:
    tried = 0
    for name in FILES[cipher.token]:
        for vector in list(vectors(name))[:300]:
            of = {
                key: bytes.fromhex(value)
                for key, value in vector.items()
                if key not in ("id", "kind")
            }
            nonce = of.get("iv", of.get("nonce", b""))
            associated_data = of.get("aad", of.get("ad", b""))
            text = of.get("msg", of.get("pt", b""))
            sealed = of["ct"] + of.get("tag", b"")
            if len(nonce) != cipher.nonce or len(of["key"]) != cipher.key:
                continue
            tried += 1
            box = aead(cipher, of["key"])
            if vector.get("kind", "valid").startswith("valid"):
                assert box.encrypt(nonce, text, associated_data) == sealed
                assert box.decrypt(nonce, sealed, associated_data) == text
            else:
                with pytest.raises(InvalidTag):
                    box.decrypt(nonce, sealed, associated_data)
    assert tried > 30


def test_hkdf_gives_the_known_answers() -> None:
    tried = 0
    for vector in vectors("hkdf_sha256"):
        if not vector["kind"].startswith("valid"):
            continue
        salt, secret, info = (bytes.fromhex(vector[name]) for name in ("salt", "ikm", "info"))
        key = key_schedule.extract(salt, secret)
        size = int(vector["size_decimal"])
        assert key_schedule.expand(key, info, size) == bytes.fromhex(vector["okm"])
        tried += 1
    assert tried > 20


def labelled(secret: bytes, label: bytes, context: bytes, size: int) -> bytes:
    """EL, typed anew from the page, over another implementation of HKDF."""
    info = bytes([0, size, 5 + len(label)]) + b"pqm2 " + label + bytes([len(context)]) + context
    return HKDFExpand(SHA256(), size, info).derive(secret)


def extracted(salt: bytes, secret: bytes) -> bytes:
    """Extract, over another implementation of HMAC."""
    state = HMAC(salt, SHA256())
    state.update(secret)
    return state.finalize()


@pytest.mark.parametrize("classical", [b"", b"\x55" * 32], ids=["post-quantum", "hybrid"])
@pytest.mark.parametrize("resumption", [bytes(32), b"\x33" * 32], ids=["new", "rekey"])
def test_the_key_schedule_is_that_of_the_protocol_page(classical: bytes, resumption: bytes) -> None:
    early = extracted(bytes(32), b"\x05" * 32)
    psk = PskKeys.of(b"\x05" * 32)
    assert psk.client_hello == labelled(early, b"ch", b"", 32)
    assert psk.hello_retry == labelled(early, b"hr", b"", 32)
    assert psk.server_hello == labelled(early, b"sh", b"", 32)
    assert psk.client_finish == labelled(early, b"cf", b"", 32)

    resumed = extracted(labelled(early, b"derived", b"", 32), resumption)
    kem = b"\x44" * 64
    secrets = b"\x00\x40" + kem + bytes([0, len(classical)]) + classical
    agreed = extracted(labelled(resumed, b"derived", b"", 32), secrets)
    th2, th3 = b"\x02" * 64, b"\x03" * 64
    ours = HandshakeSecrets(psk, resumption, kem, classical)
    assert ours.drone_finish_key(th2) == labelled(agreed, b"fin d", th2, 32)
    assert ours.gcs_finish_key(th2) == labelled(agreed, b"fin g", th2, 32)
    for cipher, key, nonce in zip(CIPHERS, (32, 32, 16, 16), (12, 12, 16, 16), strict=True):
        session = ours.session(cipher, th3)
        assert session.drone_key == labelled(agreed, b"d2g key", th3, key)
        assert session.gcs_key == labelled(agreed, b"g2d key", th3, key)
        assert session.drone_iv == labelled(agreed, b"d2g iv", th3, nonce)
        assert session.gcs_iv == labelled(agreed, b"g2d iv", th3, nonce)
        assert session.session_id == labelled(agreed, b"sid", th3, 8)
        assert session.resumption == labelled(agreed, b"rms", th3, 32)


def test_there_are_72_suites_of_the_paper_and_176_in_all() -> None:
    paper = [
        suite
        for suite in all_suites()
        if not suite.kem.token.startswith("frodo")
        and not suite.signature.token.endswith("f")
        and suite.cipher.token != "asconaead128"
    ]
    assert (len(paper), len(all_suites())) == (72, 176)


def test_the_policy_hash_is_that_of_the_protocol_page() -> None:
    suite = suite_named("cs-mlkem768-aesgcm-mldsa65")
    assert suite is not None
    expected = sha256(b"PQM2 policy\x00\x03\x03\x01\x02\x01\x02\x01").digest()
    assert only([suite], mode=3).hash == expected
    assert every_suite_from(1).hash != every_suite_from(1, experimental=True).hash


def make_session(*, drone: bool, epoch: int = 0, window: int = 64, seed: int = 1) -> EpochKeys:
    """Return one end of a session; the same for both ends, but for `drone`."""
    suite = suite_named("cs-mlkem768-aesgcm-mldsa65")
    assert suite is not None
    agreed = HandshakeSecrets(PskKeys.of(bytes([seed]) * 32), bytes(32), b"shared")
    keys = agreed.session(suite.cipher, bytes(64))
    return EpochKeys(suite, b"session!", epoch, keys, drone=drone, replay_window=window)


def test_frames_have_the_layout_of_the_protocol_page() -> None:
    agreed = HandshakeSecrets(PskKeys.of(b"\x01" * 32), bytes(32), b"shared")
    suite = suite_named("cs-mlkem768-aesgcm-mldsa65")
    assert suite is not None
    keys = agreed.session(suite.cipher, bytes(64))
    session = make_session(drone=True, epoch=7)
    session.seal(FrameType.DATA, b"the first")
    frame = session.seal(FrameType.CONTROL, b"hello")
    header = b"\x21" + b"\x01\x02\x01\x02" + b"session!" + b"\0\0\0\0\0\0\0\1" + b"\x07"
    assert frame[:22] == header
    counter = b"\0\0\0" + b"\x07" + b"\0\0\0\0\0\0\0\1"
    nonce = bytes(a ^ b for a, b in zip(keys.drone_iv, counter, strict=True))
    assert frame[22:] == AESGCM(keys.drone_key).encrypt(nonce, b"hello", header)
    assert len(frame) == 5 + 38


def test_frames_are_opened_once_and_only_unchanged() -> None:
    drone, gcs = make_session(drone=True), make_session(drone=False)
    frames = [drone.seal(FrameType.DATA, b"%d" % i) for i in range(70)]
    for position in range(len(frames[1])):
        altered = bytearray(frames[1])
        altered[position] ^= 1
        with pytest.raises(Dropped):
            gcs.open(bytes(altered))
    assert gcs.open(frames[1]) == b"1"
    assert gcs.skipped == 1
    assert gcs.open(frames[0]) == b"0"
    assert gcs.skipped == -1
    with pytest.raises(Dropped, match="replay"):
        gcs.open(frames[1])
    assert gcs.open(frames[69]) == b"69"
    with pytest.raises(Dropped, match="seq_old"):
        gcs.open(frames[2])
    with pytest.raises(Dropped, match="auth_fail"):  # an end's own frame, reflected
        make_session(drone=True).open(frames[3])


@given(st.lists(st.integers(0, 200), max_size=60))
def test_the_replay_window_is_that_of_a_simple_model(sequences: list[int]) -> None:
    window, seen = ReplayWindow(64), set[int]()
    for sequence in sequences:
        highest = max(seen, default=-1)
        expected = Verdict.FRESH
        if sequence <= highest - 64:
            expected = Verdict.TOO_OLD
        elif sequence in seen:
            expected = Verdict.REPLAYED
        assert window.check(sequence) is expected
        if expected is Verdict.FRESH:
            window.commit(sequence)
            seen.add(sequence)


def test_old_keys_receive_until_they_are_retired() -> None:
    slots = KeySlots()
    old, new = make_session(drone=False), make_session(drone=False, epoch=1)
    slots.install_pending(old)
    assert slots.sending is None
    assert slots.note_received(old)
    slots.install_pending(new)
    assert slots.sending is old
    assert slots.note_received(new)
    assert slots.sending is new
    slots.retire_older(10.0)
    slots.handle_tick(9.9)
    assert slots.find(old.name) == [old]
    slots.handle_tick(10.0)
    assert slots.find(old.name) == []
    assert slots.find(new.name) == [new]


def test_a_drone_keeps_its_last_confirmed_keys_while_none_are_confirmed() -> None:
    slots = KeySlots()
    held = make_session(drone=True)
    slots.install_for_sending(held)
    slots.note_received(held)
    for seed in range(2, 12):
        slots.install_for_sending(make_session(drone=True, epoch=1, seed=seed))
    assert slots.find(held.name) == [held]
    assert slots.sending is not None
    assert 1 < len(slots.find(slots.sending.name)) <= 5


def test_control_frames_have_the_layout_of_the_protocol_page() -> None:
    prepare = control.encode(Control.PREPARE, 0x01020304, 9, b"abcde")
    assert prepare == b"\x01\x00" + b"\x01\x02\x03\x04" + b"\x00\x06" + b"\x09abcde"
    sizes = [(Control.READY, 4), (Control.COMMIT_ACK, 0), (Control.TIME_REQ, 8)]
    for kind, size in sizes:
        fields = (0,) if size else ()
        assert len(control.encode(kind, 1, *fields)) == 8 + size
    assert control.decode(prepare) == (Control.PREPARE, 0x01020304, (9, b"abcde"))


@given(st.sampled_from(MessageType), st.binary(max_size=200))
def test_handshake_messages_of_any_bytes_are_read_or_refused(
    kind: MessageType, rest: bytes
) -> None:
    suite = suite_named("cs-mlkem768-aesgcm-mldsa65")
    assert suite is not None
    body = messages.encode_short(kind, rest)
    for decode in (
        messages.decode_reject,
        partial(messages.decode_short, kind=MessageType.HELLO_RETRY),
        partial(messages.decode_short, kind=MessageType.SERVER_FINISH),
        ClientHello.decode,
        partial(ServerHello.decode, suite=suite),
        partial(ClientFinish.decode, suite=suite, drone_signs=False),
    ):
        with suppress(Malformed):
            decode(body)


@given(st.binary(max_size=80))
def test_control_frames_of_any_bytes_are_read_or_ignored(text: bytes) -> None:
    frame = control.decode(text)
    if frame is not None:
        assert control.encode(frame.kind, frame.transaction, *frame.fields)[2:] == text[2:]
