# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One remote end, for both roles: its keys, its frames, its clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Any

from pqc_reference.bundles import BadBundle, unpack
from pqc_reference.config import Config
from pqc_reference.session.epoch_keys import Dropped, EpochKeys, Kind
from pqc_reference.session.key_slots import KeySlots
from pqc_reference.session.link import Clock, LinkMeter, LinkView
from pqc_reference.wire import control
from pqc_reference.wire.control import Control, ControlMessage
from pqc_reference.wire.fragments import (
    HEADER_SIZE,
    LONGEST_DATAGRAM,
    BadFragment,
    Reassembly,
    fragments,
)
from pqc_reference.wire.streams import Ack, BadPart

if TYPE_CHECKING:
    from pqc_reference.end import Address, End

_MIN_OVERLAP_S = 2.0
_MAX_OVERLAP_S = 10.0
_STRETCHED_MEMORY_S = 4.0
_STRETCH_REPORT_INTERVAL_S = 10.0
_BOOT_QUESTION_S = 0.125
_NEVER = float("inf")

# Frames that are dropped when they are stale.
_YOUNG = (Kind.DATA, Kind.BUNDLE, Kind.FRAGMENT, Kind.CONTROL_FRAGMENT)
# Requests that the other end may have given up since it sent them.
_WISHES = {Control.REKEY_REQ, Control.NOTICE}


def _version() -> bytes:
    """Return major, minor and patch of this package; zeros if it is not installed."""
    try:
        return bytes(int(number) for number in metadata.version("pqc_reference").split("."))
    except metadata.PackageNotFoundError:
        return bytes(3)


# Called with a sentence, and with the keys that it is about if there are any.
Report = Callable[[str, EpochKeys | None], None]


@dataclass
class Boot:
    """The boot keys of a session that begins, and where the other end is."""

    keys: EpochKeys
    address: Address
    until: float = _NEVER
    next_question: float = 0.0  # time of the next TIME_REQ; the pause doubles
    pause: float = _BOOT_QUESTION_S


class Peer:
    """One remote end."""

    def __init__(self, name: str, config: Config, end: End) -> None:
        """`end` is the end of this program, which has this peer."""
        self.name = name
        self.slots = KeySlots()
        self.boot: Boot | None = None
        self.address: Address | None = None
        self.meter = LinkMeter()
        self.clock = Clock()
        self.remote_view: LinkView | None = None
        self.last_received = 0.0
        self.last_alive = 0.0  # proved by an answer, a handshake or the use of new keys
        self.last_answered = 0.0  # when the newest question was asked that has an answer
        self.packets: Counter[str] = Counter()  # plain_in, cipher_out, control_ignored …
        self.drops: Counter[str] = Counter()  # datagrams by reason
        self._config = config
        self._end = end
        self._last_sent = 0.0
        self._next_report = _NEVER
        self._reassembly = Reassembly(config.max_age_s)
        self._stretched_until = self._next_stretch_report = 0.0
        self.echoes: dict[int, tuple[Any, ...]] = {}  # the fields of each ECHO_RSP, by number
        self._asked: list[int] = []  # numbers of the newest ECHO_REQs of the peer

    # --- Sending ---

    def seal(self, datagram: bytes) -> None:
        self.packets["plain_in"] += 1
        keys = self.slots.sending
        if keys is None or self.address is None:
            self.drops["no_session"] += 1
        elif len(datagram) <= self._config.max_datagram:
            self._send(Kind.DATA, datagram, keys, self.address)
        elif len(datagram) > LONGEST_DATAGRAM:
            self.drops["oversize"] += 1
        else:
            self._send_fragments(Kind.FRAGMENT, datagram, keys, self.address)

    def send_control(self, kind: Control, transaction: int, *fields: Any) -> None:
        """Send a control message, if there are keys to send it under."""
        if self.slots.sending is not None and self.address is not None:
            message = control.encode(kind, transaction, *fields)
            self._send_control(message, self.slots.sending, self.address)

    def send_boot_control(self, kind: Control, transaction: int, *fields: Any) -> None:
        if self.boot is not None:
            message = control.encode(kind, transaction, *fields)
            self._send_control(message, self.boot.keys, self.boot.address)

    def _send_control(self, message: bytes, keys: EpochKeys, address: Address) -> None:
        self.packets["control_out"] += 1
        if len(message) <= self._config.max_datagram or keys is not self.slots.sending:
            self._send(Kind.CONTROL, message, keys, address)
        else:
            self._send_fragments(Kind.CONTROL_FRAGMENT, message, keys, address)

    def _send_fragments(self, kind: Kind, text: bytes, keys: EpochKeys, address: Address) -> None:
        for fragment in fragments(text, self._config.max_datagram - HEADER_SIZE):
            self._send(kind, fragment.encode(), keys, address)

    def _send(self, kind: Kind, payload: bytes, keys: EpochKeys, address: Address) -> None:
        try:
            frame = keys.seal(kind, payload, self._end.now)
        except Dropped as dropped:
            self.drops[dropped.counter] += 1
            return
        self.packets["cipher_out"] += 1
        if keys is self.slots.sending:
            self._last_sent = self._end.now
        self._end.send(frame, address)

    # --- Receiving ---

    def find(self, key_id: int) -> list[EpochKeys]:
        keys = self.slots.find(key_id)
        if self.boot is not None and self.boot.keys.receive_id == key_id:
            keys.append(self.boot.keys)
        return keys

    def handle_payload(
        self, keys: EpochKeys, kind: int, payload: bytes, size: int, sender: Address
    ) -> None:
        """Deliver the content of an authentic frame, or act on it."""
        self.packets["cipher_in"] += 1
        in_boot = self.is_boot(keys)
        if in_boot:
            assert self.boot is not None
            self.boot.address = sender if keys.skipped >= 0 else self.boot.address
            self._end.handle_boot_frame(self)
        else:
            self._note_received(keys, size, sender)
        data = kind in _YOUNG and not in_boot
        if data and keys.stale:
            self.drops["stale"] += 1
        elif kind == Kind.DATA and not in_boot:
            self._deliver(payload)
        elif kind == Kind.BUNDLE and not in_boot:
            self._deliver_bundle(payload)
        elif kind == Kind.FRAGMENT and not in_boot:
            if datagram := self._whole(payload, keys):
                self._deliver(datagram)
        elif kind == Kind.CONTROL_FRAGMENT and not in_boot:
            if message := self._whole(payload, keys):
                self._handle_control(message, keys, sender)
        elif kind == Kind.CONTROL:
            self._handle_control(payload, keys, sender)
        elif kind == Kind.STREAM:
            self._handle_part(payload, keys)
        else:
            self.packets["kind_ignored"] += 1

    def _note_received(self, keys: EpochKeys, size: int, sender: Address) -> None:
        now = self._end.now
        self.meter.note(size, keys.skipped, now)
        proved = self.slots.note_received(keys)
        self.last_received = now
        # The address follows the newest authentic frame under the newest keys.
        if keys is self.slots.sending and keys.skipped >= 0 and sender != self.address:
            moved, self.address = self.address is not None, sender
            if moved:
                name = self.name or "the ground station"
                self._end.report(f"{name} has another address now", keys)
        if proved:
            self.last_alive = max(self.last_alive, keys.installed)
            self._retire_older_keys()
            self.start_listening()
            self._end.handle_proved(self)

        if keys.stale:
            self._note_stretched()

    def is_silent(self) -> bool:
        return self._end.now >= self.last_received + self._config.peer_timeout_s

    def _note_stretched(self) -> None:
        """Note that frames or answers take too long."""
        now = self._end.now
        first, self._stretched_until = now >= self._stretched_until, now + _STRETCHED_MEMORY_S
        if first:
            self._ask_for_time()
        if now >= self._next_stretch_report:
            self._next_stretch_report = now + _STRETCH_REPORT_INTERVAL_S
            self._end.report("datagrams come later than max_age_s allows", self.slots.sending)

    def _ask_for_time(self) -> None:
        self.send_control(Control.TIME_REQ, 0, self.time_ns())
        self._next_report = min(self._next_report, self._end.now + self._report_interval())

    def _report_interval(self) -> float:
        """Return the time to the next TIME_REQ; one that matters is asked more often."""
        keys = self.slots.sending
        unknown = keys is not None and not keys.session.clock.answered
        overdue = self._end.now >= self.last_answered + self._config.peer_timeout_s / 2
        return self._config.report_interval_s / (4 if unknown or overdue else 1)

    # --- Content ---

    def _retire_older_keys(self) -> None:
        now = self._end.now
        until = now + min(max(_MIN_OVERLAP_S, 3 * (self.clock.rtt_s or 0.0)), _MAX_OVERLAP_S)
        self.slots.retire_older(now + self._config.max_age_s, until)
        if self.boot is not None:
            self.boot.until = min(self.boot.until, until)

    def _deliver(self, datagram: bytes) -> None:
        self.packets["plain_out"] += 1
        self._end.deliver(self.name, datagram)

    def _deliver_bundle(self, payload: bytes) -> None:
        try:
            for datagram in unpack(payload):
                self._deliver(datagram)
        except BadBundle:
            self.packets["kind_ignored"] += 1

    def _whole(self, payload: bytes, keys: EpochKeys) -> bytes | None:
        """Return what a fragment completes, if anything."""
        try:
            return self._reassembly.handle(keys, keys.sequence, payload, self._end.now)
        except BadFragment:
            self.packets["kind_ignored"] += 1
            return None
        finally:
            self.drops["incomplete"] = self._reassembly.incomplete
            self.drops += Counter()  # removes counts of zero

    def _handle_part(self, payload: bytes, keys: EpochKeys) -> None:
        try:
            message = keys.session.streams.handle_part(payload, self._end.now)
        except BadPart:
            self.packets["stream_ignored"] += 1
            return
        self._end.handle_stream(self, keys)
        if message:
            self._end.handle_message(self, message, keys)

    def _handle_control(self, payload: bytes, keys: EpochKeys, sender: Address) -> None:
        self.packets["control_in"] += 1
        message = control.decode(payload)
        wish = message is not None and message.kind in _WISHES
        if wish and not self.is_boot(keys) and keys.stale:
            self.drops["stale"] += 1
            return
        if message is None or not (
            self._handle_own(message, keys, sender) or self._end.handle_control(self, message, keys)
        ):
            self.packets["control_ignored"] += 1

    def _handle_own(self, message: ControlMessage, keys: EpochKeys, sender: Address) -> bool:
        """Handle the messages that mean the same to both roles."""
        kind, _, fields = message
        if kind is Control.STREAM_ACK:
            keys.session.streams.handle_ack(Ack(*fields), self._end.now)
            self._end.handle_stream(self, keys)
        elif kind is Control.TIME_REQ:
            self._answer(fields[0], keys)
        elif kind is Control.TIME_RSP:
            self._note_answer(fields, keys)
        elif kind is Control.LINK_REPORT:
            view, question, answer = fields
            self.remote_view = LinkView(*view)
            if answer:
                self._note_answer(answer, keys)
            if question:
                self._answer(question[0], keys)
        elif kind is Control.PATH_REQ:
            answer = control.encode(Control.PATH_RSP, 0, fields[0])
            live = keys if self.is_boot(keys) else self.slots.sending or keys
            self._send_control(answer, live, sender)
        elif kind is Control.ECHO_REQ and not self.is_boot(keys):
            self._answer_echo(message.transaction, fields[0])
        elif kind is Control.ECHO_RSP and not self.is_boot(keys):
            self.echoes[message.transaction] = fields
        elif kind is not Control.KEEPALIVE:
            return False
        return True

    def ask_for_echo(self, number: int, padding: int = 0) -> None:
        """Ask the peer to answer; its answers are in `echoes`."""
        self.send_control(Control.ECHO_REQ, number, padding)

    def _answer_echo(self, number: int, padding: int) -> None:
        before = ((number - 1 - i) % 2**32 in self._asked for i in range(32))
        arrived = sum(1 << i for i, seen in enumerate(before) if seen)
        self._asked = [*self._asked[-63:], number]
        room = self._config.max_datagram - len(control.encode(Control.ECHO_REQ, number, 0))
        padding = padding - control.ECHO_FIELDS if padding <= room else 0
        self.send_control(Control.ECHO_RSP, number, arrived, _version(), max(0, padding))

    def _answer(self, asked: int, keys: EpochKeys) -> None:
        now = self.time_ns()
        send = self.send_boot_control if self.is_boot(keys) else self.send_control
        send(Control.TIME_RSP, 0, asked, now, now)

    def _note_answer(self, fields: tuple[Any, ...], keys: EpochKeys) -> None:
        if not 0 <= fields[0] <= self.time_ns():
            return  # not a question of this end
        now, asked = self._end.now, fields[0] / 1e9
        keys.note_answer(asked, now)
        if self.is_boot(keys):
            return
        self.clock.note(*fields, self.time_ns())
        self.last_answered = max(self.last_answered, asked)
        self.last_alive = max(self.last_alive, asked)
        max_age = self._config.max_age_s
        if now - asked > max_age + 2 * keys.session.clock.usual_way(max_age):
            self._note_stretched()
        if keys is self.slots.sending:
            self._end.handle_answer(self, asked)

    def is_boot(self, keys: EpochKeys) -> bool:
        return self.boot is not None and keys is self.boot.keys

    # --- Time ---

    def time_ns(self) -> int:
        return round(self._end.now * 1e9)

    def start_listening(self) -> None:
        """Expect frames, and report on them, from now on."""
        self.last_received = self._end.now
        self._next_report = min(self._next_report, self._end.now)

    @property
    def _wipe_due(self) -> float:
        return self.last_alive + (self._config.wipe_after_s or _NEVER)

    def wipe(self) -> None:
        self.slots, self.boot, self.address = KeySlots(), None, None
        self._next_report = _NEVER

    def _asks_in_boot(self) -> bool:
        # A drone sends nothing under boot keys before the ground station has.
        boot = self.boot
        heard = boot is not None and (self._config.role == "gcs" or boot.keys.window.highest >= 0)
        return heard and boot is not None and not boot.keys.session.clock.answered

    def flush_streams(self) -> None:
        """Send the parts and acknowledgements of streams that are due."""
        now = self._end.now
        for keys, address in self._stream_keys():
            streams = keys.session.streams
            for ack in streams.take_acks(now):
                self._send_control(control.encode(Control.STREAM_ACK, 0, *ack), keys, address)
            for part in streams.take_parts(now):
                self._send(Kind.STREAM, part, keys, address)

    def _stream_keys(self) -> Iterator[tuple[EpochKeys, Address]]:
        if self.boot is not None:
            yield self.boot.keys, self.boot.address
        if self.slots.sending is not None and self.address is not None:
            yield self.slots.sending, self.address

    def next_timeout(self) -> float:
        """Return when `handle_timeout` or `flush_streams` has something to do."""
        times = [keys.session.streams.next_timeout() for keys, _ in self._stream_keys()]
        if self.slots.sending is not None:
            times += [self._next_report, self._last_sent + self._config.keepalive_interval_s]
            times.append(self._wipe_due)
        if self.boot is not None:
            times.append(self.boot.until)
            if self._asks_in_boot():
                times.append(self.boot.next_question)
        return min([*times, self.slots.next_timeout()])

    def handle_timeout(self) -> None:
        """Send reports and keep-alives that are due; wipe keys that have expired."""
        now = self._end.now
        self.slots.handle_timeout(now)
        if self.boot is not None and now >= self.boot.until:
            self.boot = None
        if self.boot is not None and self._asks_in_boot() and now >= self.boot.next_question:
            self.boot.next_question = now + self.boot.pause
            self.boot.pause *= 2
            self.send_boot_control(Control.TIME_REQ, 0, self.time_ns())
        if self.slots.sending is None:
            return
        if now >= self._wipe_due:
            self._end.report("all keys are wiped: no frames arrive", self.slots.sending)
            self._end.handle_wiped(self)
            self.wipe()
            return
        if now >= self._next_report:
            self._next_report = now + self._report_interval()
            self.send_control(Control.TIME_REQ, 0, self.time_ns())
            self.send_control(Control.LINK_REPORT, 0, self.meter.report(now), (), ())
        if now >= self._last_sent + self._config.keepalive_interval_s:
            self._last_sent = now
            self.send_control(Control.KEEPALIVE, 0)
