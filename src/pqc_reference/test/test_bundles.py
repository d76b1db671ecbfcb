# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Several datagrams travel in a bundle, MAVLink frames without what the frame before says."""

from __future__ import annotations

import pytest
from pqc_reference.bundles import MAX_BUNDLED, BadBundle, unpack

# The same bytes as in test_bundle.cpp of the tunnel.
BUNDLE = bytes.fromhex("e003fe01011e070809c5c5 80012104c5c5 9000701101c5c5")
FRAMES = [
    bytes.fromhex("fd030000fe01011e0000070809c5c5"),
    bytes.fromhex("fd010000ff010121000004c5c5"),
    bytes.fromhex("fd000000000101701101c5c5"),
]
SIGNED = bytes.fromhex("ec000101011ec5c5 07010203040506aaaaaaaaaaaa 88001ec5c5 ff05bbbbbbbbbbbb")
SIGNED_FRAMES = [
    bytes.fromhex("fd00010001 01011e0000c5c5 07010203040506aaaaaaaaaaaa"),
    bytes.fromhex("fd00010002 01011e0000c5c5 07ff0503040506bbbbbbbbbbbb"),
]


def test_known_bytes_are_these_frames() -> None:
    assert list(unpack(BUNDLE)) == FRAMES
    assert list(unpack(SIGNED)) == SIGNED_FRAMES


def test_other_datagrams_stand_behind_their_length() -> None:
    assert list(unpack(BUNDLE + b"\0\3abc" + bytes.fromhex("8000 21 0000"))) == [
        *FRAMES,
        b"abc",
        bytes.fromhex("fd00000001010121000000 00".replace(" ", "")),
    ]


@pytest.mark.parametrize(
    "entry",
    [
        b"\x80",
        b"\0",
        b"\0\0a",
        b"\0\3ab",
        bytes.fromhex("e400010101010000"),  # a bit that has no meaning
        bytes.fromhex("e003010101 1e07080900"),  # cut
        SIGNED[:20],
        bytes.fromhex("e8000101011ec5c5 ff05bbbbbbbbbbbb"),  # the frame before has no signature
        bytes.fromhex("84001ec5c5"),  # a signer without a signature
    ],
)
def test_a_malformed_entry_ends_the_bundle(entry: bytes) -> None:
    datagrams = unpack(BUNDLE + entry)
    assert [next(datagrams) for _ in FRAMES] == FRAMES
    with pytest.raises(BadBundle):
        next(datagrams)


@pytest.mark.parametrize("entry", ["c00001011e0000", "a000011e0000", "80001e0000"])
def test_the_first_frame_says_all(entry: str) -> None:
    with pytest.raises(BadBundle):
        list(unpack(bytes.fromhex(entry)))


def test_a_bundle_has_no_more_than_128_datagrams() -> None:
    assert len(list(unpack(b"\0\1a" * 200))) == MAX_BUNDLED
