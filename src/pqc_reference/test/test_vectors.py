# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The reference peer's building blocks, against vectors and against other implementations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from hashlib import sha256, sha512
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256, SHA384
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from hypothesis import given
from hypothesis import strategies as st
from pqc_reference.aead import InvalidTag, aead
from pqc_reference.control import Control
from pqc_reference.epoch_keys import MAX_FRAMES, Dropped, EpochKeys, Kind, Session, nearest
from pqc_reference.key_schedule import HandshakeSecret, Kdf, PskKeys, Ratchet, Traffic
from pqc_reference.key_slots import KeySlots
from pqc_reference.messages import ClientHello, Finish, HelloType, Malformed, Prekey, Rekey
from pqc_reference.policy import every_suite_from, only
from pqc_reference.replay_window import ReplayWindow, Verdict
from pqc_reference.streams import Streams
from pqc_reference.suites import CIPHERS, Cipher, all_suites, suite_named

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
        key = key_schedule.SHA256.extract(salt, secret)
        size = int(vector["size_decimal"])
        assert key_schedule.SHA256.expand(key, info, size) == bytes.fromhex(vector["okm"])
        tried += 1
    assert tried > 20


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
def test_the_ratchet_is_that_of_the_protocol_page(kdf: Kdf) -> None:
    el = partial(labelled, kdf)
    early = extracted(kdf, bytes(kdf.size), b"\x05" * 32)
    resumed = extracted(kdf, el(early, b"derived", b"", kdf.size), b"\x33" * kdf.size)
    ratchet = Ratchet(PskKeys.of(b"\x05" * 32, kdf), b"\x33" * kdf.size, b"session!", 7)
    of_drone, of_gcs = b"d" * 32, b"g" * 32
    text = b"session!" + b"\x07" + of_drone
    expected = extracted(kdf, el(resumed, b"rat d", b"", kdf.size), text)[:32]
    assert ratchet.drone_mac(of_drone) == expected
    expected = extracted(kdf, el(resumed, b"rat g", b"", kdf.size), text + of_gcs)[:32]
    assert ratchet.gcs_mac(of_drone, of_gcs) == expected

    randoms = b"ratchet" + of_drone + of_gcs
    agreed = extracted(kdf, el(resumed, b"derived", b"", kdf.size), randoms)
    ours, th3 = ratchet.agree(of_drone, of_gcs)
    assert th3 == sha512(b"ratchet" + b"session!" + b"\x07" + of_drone + of_gcs).digest()
    assert ours.resumption(th3) == el(agreed, b"rms", th3, kdf.size)


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
    expected = sha256(b"PQM3 policy\x00\x03\x03\x01\x02\x01\x02\x01").digest()
    assert only([suite], mode=3).hash == expected
    assert every_suite_from(1).hash != every_suite_from(1, experimental=True).hash


def make_keys(
    *, drone: bool, epoch: int = 0, window: int = 64, lateness: float = 1.0, seed: int = 1
) -> EpochKeys:
    """Return the keys of one end; the same for both ends, but for `drone`."""
    suite = suite_named("cs-mlkem768-aesgcm-mldsa65")
    assert suite is not None
    secret = HandshakeSecret(PskKeys.of(bytes([seed]) * 32, key_schedule.SHA256), b"", b"shared")
    session = Session(Streams(1000, 100, 50))
    traffic = secret.traffic(suite.cipher, bytes(64))
    return EpochKeys(
        suite, session, epoch, traffic, drone=drone, window=ReplayWindow(window, lateness)
    )


def test_frames_have_the_layout_of_the_protocol_page() -> None:
    secret = HandshakeSecret(PskKeys.of(b"\x01" * 32, key_schedule.SHA256), b"", b"shared")
    suite = suite_named("cs-mlkem768-aesgcm-mldsa65")
    assert suite is not None
    traffic = secret.traffic(suite.cipher, bytes(64))
    keys = make_keys(drone=True, epoch=7)
    keys.seal(Kind.DATA, b"the first")
    frame = keys.seal(Kind.CONTROL, b"hello")
    header = (0x400000 | traffic.d2g_id).to_bytes(3, "big") + b"\0\0\1"
    assert frame[:6] == header
    counter = b"\0\0\0" + b"\x07" + b"\0\0\0\0\0\0\0\1"
    nonce = bytes(a ^ b for a, b in zip(traffic.d2g_iv, counter, strict=True))
    assert frame[6:] == AESGCM(traffic.d2g_key).encrypt(nonce, b"hello\1", header)
    assert len(frame) == 5 + 23


def test_frames_are_opened_once_and_only_unchanged() -> None:
    drone, gcs = make_keys(drone=True), make_keys(drone=False)
    frames = [drone.seal(Kind.DATA, b"%d" % i) for i in range(70)]
    for position in range(len(frames[1])):
        altered = bytearray(frames[1])
        altered[position] ^= 1
        with pytest.raises(Dropped):
            # The key id is of the header, and so of the associated data.
            gcs.open(bytes(altered), 0.0)
    assert gcs.open(frames[1], 0.0) == (Kind.DATA, b"1")
    assert gcs.skipped == 1
    assert gcs.open(frames[0], 0.0) == (Kind.DATA, b"0")
    assert gcs.skipped == -1
    with pytest.raises(Dropped, match="replay"):
        gcs.open(frames[1], 0.0)
    assert gcs.open(frames[69], 0.0) == (Kind.DATA, b"69")
    with pytest.raises(Dropped, match="seq_old"):
        gcs.open(frames[2], 0.0)
    with pytest.raises(Dropped, match="auth_fail"):  # an end's own frame, reflected
        make_keys(drone=True).open(frames[3], 0.0)


def test_a_frame_is_too_old_if_a_later_one_came_more_than_the_lateness_before() -> None:
    drone, gcs = make_keys(drone=True), make_keys(drone=False)
    frames = [drone.seal(Kind.DATA, b"%d" % i) for i in range(6)]
    gcs.open(frames[3], 10.0)
    gcs.open(frames[1], 11.0)  # exactly as late as permitted
    with pytest.raises(Dropped, match="seq_old"):
        gcs.open(frames[0], 11.1)
    gcs.open(frames[5], 11.1)
    assert gcs.open(frames[4], 12.0) == (Kind.DATA, b"4")  # 5 came 0.9 s ago
    with pytest.raises(Dropped, match="seq_old"):
        gcs.open(frames[2], 12.0)


def test_the_sequence_is_restored_beyond_24_bits() -> None:
    drone, gcs = make_keys(drone=True), make_keys(drone=False)
    for sequence in (0, 5, (1 << 23) - 1, (1 << 24) - 2, 1 << 24, (1 << 24) - 1, (1 << 24) + 9):
        drone.sent = sequence
        assert gcs.open(drone.seal(Kind.DATA, b"text"), 0.0) == (Kind.DATA, b"text")
    assert gcs.window.highest == (1 << 24) + 9


@given(st.integers(-1, 1 << 28), st.integers(-(1 << 23) + 1, (1 << 23) - 1))
def test_the_restored_sequence_is_the_nearest(highest: int, away: int) -> None:
    sequence = max(highest, 0) + away
    if sequence >= 0:
        assert nearest(sequence % (1 << 24), highest) == sequence


def test_a_key_seals_only_so_many_frames() -> None:
    drone, gcs = make_keys(drone=True), make_keys(drone=False)
    gcs.window.commit(MAX_FRAMES - 2, 0.0)
    drone.sent = MAX_FRAMES - 1
    assert gcs.open(drone.seal(Kind.DATA, b"the last"), 0.0) == (Kind.DATA, b"the last")
    assert drone.used_up
    with pytest.raises(Dropped, match="no_session"):
        drone.seal(Kind.DATA, b"one too many")


@given(st.lists(st.integers(0, 200), max_size=60))
def test_the_replay_window_is_that_of_a_simple_model(sequences: list[int]) -> None:
    window, seen = ReplayWindow(64, 1.0), set[int]()
    for sequence in sequences:
        highest = max(seen, default=-1)
        expected = Verdict.FRESH
        if sequence <= highest - 64:
            expected = Verdict.TOO_OLD
        elif sequence in seen:
            expected = Verdict.REPLAYED
        assert window.check(sequence, 0.0) is expected
        if expected is Verdict.FRESH:
            window.commit(sequence, 0.0)
            seen.add(sequence)


def test_old_keys_receive_until_they_are_retired() -> None:
    slots = KeySlots()
    old, new = (make_keys(drone=False, seed=seed) for seed in (1, 2))
    slots.install_pending(old)
    assert slots.sending is None
    assert slots.note_received(old)
    slots.install_pending(new)
    assert slots.sending is old
    assert slots.note_received(new)
    assert slots.sending is new
    slots.retire_older(5.0, 10.0)
    assert slots.accepts(old, 4.9) and not slots.accepts(old, 5.0) and slots.accepts(new, 99.0)
    slots.handle_timeout(9.9)
    assert slots.find(old.receive_id) == [old]
    assert slots.next_timeout() == 10.0
    slots.handle_timeout(10.0)
    assert slots.find(old.receive_id) == []
    assert slots.find(new.receive_id) == [new]


def test_keys_with_the_same_id_are_all_found() -> None:
    slots = KeySlots()
    twins = [make_keys(drone=False) for _ in range(2)]
    slots.install_pending(twins[0])
    slots.note_received(twins[0])
    slots.install_pending(twins[1])
    assert slots.find(twins[0].receive_id) == [twins[1], twins[0]]


def test_a_drone_keeps_its_last_confirmed_keys_while_none_are_confirmed() -> None:
    slots = KeySlots()
    held = make_keys(drone=True)
    slots.install_for_sending(held)
    slots.note_received(held)
    for seed in range(2, 12):
        slots.install_for_sending(make_keys(drone=True, seed=seed))
    assert slots.find(held.receive_id) == [held]


def test_control_messages_have_the_layout_of_the_protocol_page() -> None:
    want = control.encode(Control.WANT, 0x01020304, b"abcde")
    assert want == b"\x01" + b"\x01\x02\x03\x04" + b"abcde"
    assert control.decode(want) == (Control.WANT, 0x01020304, (b"abcde",))
    ratchet = control.encode(Control.RATCHET, 1, 9, b"r" * 32, b"m" * 32)
    assert ratchet == b"\x0a" + b"\0\0\0\1" + b"\x09" + b"r" * 32 + b"m" * 32
    ack = control.encode(Control.STREAM_ACK, 0, 0x83, 5, [(10, 2), (0x010203, 1)])
    assert ack == (b"\x0c" + bytes(4) + b"\x83" + b"\0\0\5" + b"\0\0\x0a\0\0\2" + b"\1\2\3\0\0\1")
    assert control.decode(ack) == (Control.STREAM_ACK, 0, (0x83, 5, [(10, 2), (0x010203, 1)]))
    sizes = {Control.CONFIRM: 32, Control.ABORT: 1, Control.LATER: 4, Control.KEEPALIVE: 0}
    sizes |= {Control.TIME_REQ: 8, Control.TIME_RSP: 24, Control.LINK_REPORT: 64}
    sizes |= {Control.REKEY_REQ: 6, Control.RATCHET_OK: 64, Control.PATH_REQ: 8}
    for kind, size in sizes.items():
        assert control.decode(bytes([kind]) + bytes(4 + size)) is not None
        assert control.decode(bytes([kind]) + bytes(5 + size)) is None
    assert control.decode(bytes([15]) + bytes(4)) is None


def test_hello_frames_have_the_layout_of_the_protocol_page() -> None:
    fields = (b"d" * 8, b"r" * 32, b"suite", 3, b"p" * 32, b"c" * 32)
    hello = ClientHello(*fields)
    assert hello.encode() == b"\x81\x03" + b"".join((*fields[:3], b"\3", *fields[4:]))
    frame = hello.encode() + bytes(32)
    assert len(frame) == 144
    assert messages.hello_type(frame) is HelloType.CLIENT_HELLO
    assert ClientHello.decode(frame) == hello
    retry = messages.encode_hello(HelloType.HELLO_RETRY, b"c" * 32) + bytes(32)
    reject = messages.encode_hello(HelloType.REJECT, b"\2") + bytes(32)
    assert (len(retry), len(reject)) == (66, 35)
    assert messages.hello_content(retry) == b"c" * 32
    for wrong in (b"", b"\x81", frame[:-1], b"\x84" + frame[1:], frame[:1] + b"\2" + frame[2:]):
        with pytest.raises(Malformed):
            messages.hello_type(wrong)


@pytest.mark.parametrize("mode", range(4))
def test_stream_messages_have_the_layout_of_the_protocol_page(mode: int) -> None:
    suite = suite_named("cs-mlkem512-aesgcm-falcon512")
    assert suite is not None
    x25519 = b"x" * 32 if mode & 1 else b""
    key, ciphertext, signature = b"k" * 800, b"c" * 768, b"s" * 600
    prekey = Prekey(b"i" * 16, suite.pair, mode, x25519, key, signature)
    start = b"\1" + b"i" * 16 + b"\1\1\2\1" + bytes([mode]) + x25519
    assert prekey.encode() == start + key + signature
    assert prekey.transcript == start + sha512(key).digest() + signature
    assert Prekey.decode(prekey.encode(), suite, mode) == prekey

    signed = b"\x02\x58" + signature if mode & 2 else b""
    finish = Finish(ciphertext, x25519, signature if mode & 2 else None)
    assert finish.encode() == ciphertext + x25519 + signed
    assert Finish.decode(finish.encode() + b"m" * 64, suite, mode) == (finish, b"m" * 64)

    rekey = Rekey(b"r" * 32, b"i" * 16, b"suite", mode, b"session!", 9)
    opening = b"\3" + b"r" * 32 + b"i" * 16 + b"suite" + bytes([mode]) + b"session!" + b"\x09"
    assert rekey.encode() == opening
    assert Rekey.decode(opening + b"the rest") == (rekey, b"the rest")
    assert messages.largest_rekey(suite, mode) >= len(opening + finish.encode()) + 64
    assert messages.largest_prekey(suite, mode) >= len(prekey.encode())


@given(st.binary(max_size=200), st.integers(0, 3))
def test_stream_messages_of_any_bytes_are_read_or_refused(message: bytes, mode: int) -> None:
    suite = suite_named("cs-mlkem512-aesgcm-falcon512")
    assert suite is not None
    for decode in (
        messages.message_type,
        messages.pair_of_prekey,
        partial(Prekey.decode, suite=suite, mode=mode),
        partial(Finish.decode, suite=suite, mode=mode),
        Rekey.decode,
    ):
        with suppress(Malformed):
            decode(message)


@given(st.binary(max_size=120))
def test_control_messages_of_any_bytes_are_read_or_ignored(text: bytes) -> None:
    message = control.decode(text)
    if message is not None:
        assert control.encode(message.kind, message.transaction, *message.fields) == text
