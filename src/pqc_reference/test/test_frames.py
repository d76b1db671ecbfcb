# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Sealed frames, the replay window and old keys beside new ones."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given
from hypothesis import strategies as st
from pqc_reference.crypto import key_schedule
from pqc_reference.crypto.key_schedule import HandshakeSecret, PskKeys
from pqc_reference.crypto.suites import suite_named
from pqc_reference.session.epoch_keys import MAX_FRAMES, Dropped, EpochKeys, Kind, Session, nearest
from pqc_reference.session.key_slots import KeySlots
from pqc_reference.session.replay_window import ReplayWindow, Verdict
from pqc_reference.wire.streams import Streams


def make_keys(
    *, drone: bool, epoch: int = 0, window: int = 64, lateness: float = 1.0, seed: int = 1
) -> EpochKeys:
    """Return the keys of one end; the same for both ends, but for `drone`."""
    suite = suite_named("cs-mlkem768-aesgcm-mldsa65")
    assert suite is not None
    secret = HandshakeSecret(PskKeys.of(bytes([seed]) * 32, key_schedule.SHA256), b"", b"shared")
    session = Session(Streams(1000, 100, 50))
    traffic = secret.traffic(suite.cipher, bytes(64))
    replay_window = ReplayWindow(window, lateness)
    return EpochKeys(
        suite,
        session,
        epoch,
        traffic,
        drone=drone,
        window=replay_window,
        installed=0.0,
        max_age_s=lateness,
    )


def test_frames_have_the_layout_of_the_protocol_page() -> None:
    secret = HandshakeSecret(PskKeys.of(b"\x01" * 32, key_schedule.SHA256), b"", b"shared")
    suite = suite_named("cs-mlkem768-aesgcm-mldsa65")
    traffic = secret.traffic(suite.cipher, bytes(64))
    keys = make_keys(drone=True, epoch=7)
    keys.seal(Kind.DATA, b"the first", 0.0)
    frame = keys.seal(Kind.CONTROL, b"hello", 1025.5)
    header = (0x400000 | traffic.d2g_id).to_bytes(3, "big") + b"\0\0\1"
    assert frame[:6] == header
    counter = b"\0\0\0" + b"\x07" + b"\0\0\0\0\0\0\0\1"
    nonce = bytes(a ^ b for a, b in zip(traffic.d2g_iv, counter, strict=True))
    assert frame[6:] == AESGCM(traffic.d2g_key).encrypt(nonce, b"hello\0\x60\1", header)
    assert len(frame) == 5 + 25


def test_frames_are_opened_once_and_only_unchanged() -> None:
    drone, gcs = make_keys(drone=True), make_keys(drone=False)
    frames = [drone.seal(Kind.DATA, b"%d" % i, 0.0) for i in range(70)]
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
    frames = [drone.seal(Kind.DATA, b"%d" % i, 0.0) for i in range(6)]
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
        assert gcs.open(drone.seal(Kind.DATA, b"text", 0.0), 0.0) == (Kind.DATA, b"text")
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
    assert gcs.open(drone.seal(Kind.DATA, b"the last", 0.0), 0.0) == (Kind.DATA, b"the last")
    assert drone.used_up
    with pytest.raises(Dropped, match="no_session"):
        drone.seal(Kind.DATA, b"one too many", 0.0)


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
