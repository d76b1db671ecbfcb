# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pqc_sim.datagrams.mavlink_frames import split_frames
from pymavlink.dialects.v20 import ardupilotmega as mavlink


def frame(sequence: int = 7, *, version_1: bool = False) -> bytes:
    codec = mavlink.MAVLink(None, 3, 4)
    codec.seq = sequence
    message = mavlink.MAVLink_heartbeat_message(2, 3, 81, 4, 4, 3)
    return bytes(message.pack(codec, force_mavlink1=version_1))


def test_a_frame_has_its_source_and_number() -> None:
    split = split_frames(frame(7))
    assert split.intact
    (only,) = split.frames
    assert (only.system, only.component, only.sequence, only.message_id) == (3, 4, 7, 0)


def test_several_frames_of_both_versions_share_a_datagram() -> None:
    split = split_frames(frame(1) + frame(2, version_1=True) + frame(3))
    assert split.intact
    assert [part.sequence for part in split.frames] == [1, 2, 3]


def test_a_signed_frame_includes_its_signature() -> None:
    codec = mavlink.MAVLink(None, 3, 4)
    codec.signing.sign_outgoing = True
    codec.signing.secret_key = bytes(32)
    codec.signing.timestamp = 1
    message = mavlink.MAVLink_heartbeat_message(2, 3, 81, 4, 4, 3)
    split = split_frames(bytes(message.pack(codec)) + frame(9))
    assert split.intact
    assert len(split.frames) == 2


def test_an_unknown_message_passes_because_its_checksum_cannot_be_checked() -> None:
    unknown = bytearray(frame())
    unknown[7:10] = (12_345_678).to_bytes(3, "little")
    assert split_frames(bytes(unknown)).intact


def test_a_bad_frame_does_not_hide_the_good_one_behind_it() -> None:
    bad = bytearray(frame(1))
    bad[12] ^= 1
    split = split_frames(bytes(bad) + frame(2))
    assert not split.intact
    assert [part.sequence for part in split.frames] == [2]


def test_a_truncated_frame_is_not_intact() -> None:
    for length in range(len(frame())):
        assert not split_frames(frame()[:length]).intact


@given(st.binary(max_size=300))
def test_the_splitter_accepts_any_input(datagram: bytes) -> None:
    split_frames(datagram)
