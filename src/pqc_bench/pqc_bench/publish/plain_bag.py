# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Copies a bag without network addresses."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from rosbags.interfaces import ConnectionExtRosbag2
from rosbags.rosbag2 import Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from pqc_bench.publish.privacy import is_foreign

_VERSION = 9


def copy_bag(source: Path, out: Path) -> int:
    """Write the bag with every foreign address removed; return the number of messages."""
    store = get_typestore(Stores.EMPTY)
    count = 0
    with (
        Reader(source) as reader,
        Writer(out, version=_VERSION, storage_plugin=StoragePlugin.MCAP) as writer,
    ):
        connections = {}
        for one in reader.connections:
            store.register(get_types_from_msg(one.msgdef.data, one.msgtype))
            extra = one.ext
            assert isinstance(extra, ConnectionExtRosbag2)
            connections[one.id] = writer.add_connection(
                one.topic,
                one.msgtype,
                typestore=store,
                serialization_format=extra.serialization_format,
                offered_qos_profiles=extra.offered_qos_profiles,
            )
        for one, stamp_ns, data in reader.messages():
            message = without_addresses(store.deserialize_cdr(data, one.msgtype))
            plain = store.serialize_cdr(message, one.msgtype)
            writer.write(connections[one.id], stamp_ns, plain)
            count += 1
    return count


def without_addresses(value: Any) -> Any:
    """Return a message with an empty text in place of each address, with or without a port."""
    if isinstance(value, str):
        return "" if _is_address(value) else value
    if isinstance(value, list):
        return [without_addresses(one) for one in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        plain = {
            field.name: without_addresses(getattr(value, field.name))
            for field in dataclasses.fields(value)
            if field.init
        }
        return dataclasses.replace(value, **plain)
    return value


def _is_address(text: str) -> bool:
    host = text.rpartition(":")[0].strip("[]")
    return is_foreign(text) or is_foreign(host)
