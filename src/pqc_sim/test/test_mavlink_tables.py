# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The tunnel's hand-written tables of MAVLink agree with the dialect."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import NamedTuple

import pytest
from pymavlink.dialects.v20 import all as dialect

PATHS = Path(__file__).resolve().parents[3] / "src" / "pqc_tunnel" / "src" / "link" / "mavlink"
MESSAGES = dict(dialect.mavlink_map)
ROW = re.compile(
    r"^ +(command|ordered|state|steering)\((\d+)(?:, (\d+), (\d+))?\), +// (\w+)", re.M
)
# Fields that name one of several things, also where the dialect does not mark them.
NAMING = re.compile(r"(.*_)?(id|index|ind|port|axis)|target(_system|_component)?")
# A side of the ship.
NO_INSTANCE = {("AIS_VESSEL", "dimension_port")}
# PX4 defines these; the dialects that pymavlink installs do not have them.
FOREIGN = {80, 410, 411, 412, 413}


class Row(NamedTuple):
    kind: str
    bytes_of_key: range
    name: str

    @property
    def is_conflated(self) -> bool:
        return self.kind in ("state", "steering")


def rows() -> dict[int, Row]:
    source = (PATHS / "mavlink_class.cpp").read_text(encoding="utf-8")
    return {
        int(number): Row(kind, range(int(begin or 0), int(begin or 0) + int(size or 0)), name)
        for kind, number, begin, size, name in ROW.findall(source)
    }


def layout(message: type) -> dict[str, range]:
    """Return which bytes of the payload each field takes."""
    fields = {}
    begin = 0
    codes = re.findall(r"\d*[a-zA-Z]", message.unpacker.format)
    for name, code in zip(message.ordered_fieldnames, codes, strict=True):
        end = begin + struct.calcsize("<" + code)
        fields[name] = range(begin, end)
        begin = end
    return fields


def test_the_table_is_found_whole_and_names_the_messages_of_the_dialect() -> None:
    source = (PATHS / "mavlink_class.cpp").read_text(encoding="utf-8")
    found = rows()
    assert len(found) == len(re.findall(r"^ +\w+\(\d+.*\), +//", source, re.M)) > 150
    assert set(found) - set(MESSAGES) == FOREIGN
    for number in set(found) - FOREIGN:
        assert found[number].name == MESSAGES[number].msgname


@pytest.mark.parametrize(
    "number", [number for number, message in MESSAGES.items() if message.instance_field]
)
def test_of_two_sensors_of_one_kind_none_replaces_the_other(number: int) -> None:
    message = MESSAGES[number]
    row = rows().get(number)
    if row is not None and row.is_conflated:
        assert message.instance_offset in row.bytes_of_key
        assert row.bytes_of_key == layout(message)[message.instance_field]


def test_keys_are_whole_fields_that_name_one_of_several_things() -> None:
    for number, row in rows().items():
        if number in FOREIGN or not row.is_conflated:
            continue
        message = MESSAGES[number]
        key = {
            name: where
            for name, where in layout(message).items()
            if where.start in row.bytes_of_key
        }
        assert sorted(i for where in key.values() for i in where) == list(row.bytes_of_key), row
        naming = {
            name
            for name in message.fieldnames
            if NAMING.fullmatch(name) and (row.name, name) not in NO_INSTANCE
        }
        assert naming <= set(key), row


def test_the_text_of_the_tunnel_has_the_dialect_s_checksum() -> None:
    source = (PATHS / "mavlink_statustext.cpp").read_text(encoding="utf-8")
    message = dialect.MAVLink_statustext_message
    assert f"message_statustext = {message.id};" in source
    assert f"crc_extra = {message.crc_extra};" in source
