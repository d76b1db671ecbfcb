# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Control messages, hello frames and messages in streams have the bytes of the page."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from hashlib import sha512

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pqc_reference.crypto.suites import suite_named
from pqc_reference.wire import control, messages
from pqc_reference.wire.control import Control
from pqc_reference.wire.messages import ClientHello, Finish, HelloType, Malformed, Prekey, Rekey


def test_control_messages_have_the_layout_of_the_protocol_page() -> None:
    want = control.encode(Control.WANT, 0x01020304, b"abcde", 2, 115)
    assert want == b"\x01" + b"\x01\x02\x03\x04" + b"abcde" + b"\x02" + b"\0\0\0\x73"
    assert control.decode(want) == (Control.WANT, 0x01020304, (b"abcde", 2, 115))
    for anchor in (b"", b"idct" + b"c" * 156):
        ratchet = control.encode(Control.RATCHET, 1, 9, b"r" * 32, anchor, b"m" * 32)
        assert ratchet == b"\x0a" + b"\0\0\0\1" + b"\x09" + b"r" * 32 + anchor + b"m" * 32
        assert control.decode(ratchet) == (Control.RATCHET, 1, (9, b"r" * 32, anchor, b"m" * 32))
        assert control.decode(ratchet + b"m") is None
    ack = control.encode(Control.STREAM_ACK, 0, 0x83, 258, 772, 5, [(10, 2), (0x010203, 1)])
    assert ack == (
        b"\x0c" + bytes(4) + b"\x83\1\2\3\4" + b"\0\0\5" + b"\0\0\x0a\0\0\2" + b"\1\2\3\0\0\1"
    )
    assert control.decode(ack) == (
        Control.STREAM_ACK,
        0,
        (0x83, 258, 772, 5, [(10, 2), (0x010203, 1)]),
    )
    sizes = {Control.CONFIRM: 32, Control.ABORT: 1, Control.LATER: 4, Control.KEEPALIVE: 0}
    sizes |= {Control.TIME_REQ: 8, Control.TIME_RSP: 24, Control.LINK_REPORT: 64}
    sizes |= {Control.REKEY_REQ: 6, Control.RATCHET_OK: 64, Control.PATH_REQ: 8}
    for kind, size in sizes.items():
        body = b"\1" * size if kind is Control.ABORT else bytes(size)
        assert control.decode(bytes([kind]) + bytes(4) + body) is not None
        assert control.decode(bytes([kind]) + bytes(5) + body) is None
    assert control.decode(bytes([15]) + bytes(4)) is not None
    notice = control.encode(Control.NOTICE, 0, 200, b"xyz")
    assert notice == b"\x10" + bytes(4) + b"\xc8" + b"xyz"
    assert control.decode(notice) == (Control.NOTICE, 0, (200, b"xyz"))
    for size, read in ((0, False), (1, True), (64, True), (65, False)):
        assert (control.decode(b"\x10" + bytes(5 + size)) is not None) == read
    assert control.decode(bytes([17]) + bytes(4)) == (Control.WIPED, 0, ())
    request = control.encode(Control.ECHO_REQ, 7, 3)
    assert request == b"\x12\0\0\0\7\0\0\0"
    assert control.decode(request) == (Control.ECHO_REQ, 7, (3,))
    response = control.encode(Control.ECHO_RSP, 7, 0x80000001, b"\1\2\3", 2)
    assert response == b"\x13\0\0\0\7" + b"\x80\0\0\1" + b"\1\2\3" + b"\0\0"
    assert control.decode(response) == (Control.ECHO_RSP, 7, (0x80000001, b"\1\2\3", 2))
    for short in (request[:4], response[:11]):
        assert control.decode(short) is None
    for padded in (request, response):
        assert control.decode(padded[:-1] + b"\1") is None
    assert control.decode(bytes([20]) + bytes(4 + 32)) == (Control.ERASE, 0, (bytes(32),))
    assert control.decode(bytes([22]) + bytes(4)) is None


def test_reports_may_end_with_a_question_and_an_answer() -> None:
    sizes = set()
    for question in ((), (-2,)):
        for answer in ((), (1, 2, 3)):
            fields = (tuple(range(12)), question, answer)
            report = control.encode(Control.LINK_REPORT, 0, *fields)
            sizes.add(len(report))
            assert control.decode(report) == (Control.LINK_REPORT, 0, fields)
    assert sizes == {5 + 64, 5 + 72, 5 + 88, 5 + 96}
    for size in range(110):
        decoded = control.decode(bytes([Control.LINK_REPORT]) + bytes(4 + size))
        assert (decoded is not None) == (size + 5 in sizes)


def test_control_messages_with_an_unknown_reason_kind_or_lane_are_ignored() -> None:
    for value in range(256):
        abort = control.decode(control.encode(Control.ABORT, 1, value))
        assert (abort is not None) == (1 <= value <= 6)
        request = control.decode(control.encode(Control.REKEY_REQ, 1, b"suite", value))
        assert (request is not None) == (value <= 2)
        want = control.decode(control.encode(Control.WANT, 1, b"suite", value, 0))
        assert (want is not None) == (1 <= value <= 3)


def test_control_messages_outside_transactions_are_ignored_if_they_carry_one() -> None:
    for kind, fields in (
        (Control.KEEPALIVE, ()),
        (Control.SUPERSEDED, ()),
        (Control.WIPED, ()),
        (Control.TIME_REQ, (1,)),
        (Control.TIME_RSP, (1, 2, 3)),
        (Control.LINK_REPORT, (tuple(range(12)), (1,), (2, 3, 4))),
        (Control.PATH_REQ, (b"a nonce!",)),
        (Control.PATH_RSP, (b"a nonce!",)),
        (Control.STREAM_ACK, (1, 0, 0, 5, [])),
        (Control.NOTICE, (1, b"x")),
    ):
        assert control.decode(control.encode(kind, 0, *fields)) is not None
        assert control.decode(control.encode(kind, 7, *fields)) is None


def test_hello_frames_have_the_layout_of_the_protocol_page() -> None:
    fields = (b"d" * 8, b"r" * 32, b"suite", 3, b"p" * 32, b"f" * 8, b"c" * 32)
    hello = ClientHello(*fields)
    assert hello.encode() == b"\x81\x04" + b"".join((*fields[:3], b"\3", *fields[4:]))
    frame = hello.encode() + bytes(32)
    assert len(frame) == 152
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
