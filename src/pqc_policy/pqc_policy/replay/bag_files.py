# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the messages of a bag in the order in which they were recorded, also of one that is cut.

The readers of `rosbags` sort by the times of reception, which says nothing if the clock was set
meanwhile, and refuse a file without an end.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

from lz4.frame import LZ4FrameDecompressor
from rosbags.interfaces import MessageDefinition, MessageDefinitionFormat
from rosbags.rosbag2.storage_mcap import zstd

from pqc_policy.named_files import open_file, read_document

_MAGIC, _ZSTD_MAGIC = b"\x89MCAP0\r\n", b"\x28\xb5\x2f\xfd"
# A file of some kB can name a size, or unpack to one, that no memory has.
_MOST_RECORD, _MOST_UNPACKED = 256 << 20, 2 << 30
_DECOMPRESSORS = {"zstd": zstd.ZstdDecompressor, "lz4": LZ4FrameDecompressor}
# Kinds of records: https://mcap.dev/spec
_FOOTER, _SCHEMA, _CHANNEL, _MESSAGE, _CHUNK = 2, 3, 4, 5, 6


class BagFault(ValueError):
    """A bag of which nothing can be read; the message is the end of a sentence."""


@dataclass(frozen=True)
class Topic:
    """A recorded topic, with its type as the bag defines it."""

    name: str
    kind: str
    definition: MessageDefinition


Message = tuple[Topic, int, bytes]  # with the time of reception in ns


# The bytes of a damaged file can cause these.
_NONSENSE = (struct.error, KeyError, TypeError, ValueError, RuntimeError)


class _Cut(Exception):
    """The file ends before its end, or is damaged there."""


class BagFiles:
    """The files of a bag: a folder of them, or a single one."""

    def __init__(self, path: Path) -> None:
        """Raise BagFault if there is none."""
        self._path = path
        self._files = [path] if path.is_file() else _files_in(path)
        self._cut: Path | None = None
        if not self._files:
            raise BagFault("it has no file that ends in .mcap")

    def messages(self) -> Iterator[Message]:
        """Yield all that is whole; then `damage` is known."""
        for file in self._files:
            try:
                yield from _read_mcap(file)
            except (_Cut, OSError, *_NONSENSE):
                self._cut = file

    @property
    def damage(self) -> list[str]:
        found = []
        if self._cut is not None:
            found.append(
                f"{self._cut.name} ends before its end, as after a power cut: all that is whole is "
                "read, what came last is missing. `mcap recover` writes a file that other programs "
                "read."
            )
        if self._path.is_dir() and not _listed(self._path) >= {file.name for file in self._files}:
            found.append(
                "metadata.yaml is missing, damaged or incomplete: "
                f"`ros2 bag reindex {self._path}` writes a new one."
            )
        return found


def _listed(folder: Path) -> set[str]:
    """Return the files that the metadata of a bag list; none without readable ones."""
    try:
        content = read_document(folder / "metadata.yaml")
        names = content["rosbag2_bagfile_information"]["relative_file_paths"]
        return {Path(name).name for name in names}
    except (ValueError, KeyError, TypeError):
        return set()


def _files_in(folder: Path) -> list[Path]:
    """Return the storage files in the order of their numbers; raises BagFault if one is missing."""
    names = {file.name for file in folder.iterdir()}
    missing = sorted(_listed(folder) - names)
    if missing:
        raise BagFault(f"its metadata.yaml names {missing[0]}, which is missing")
    storage = [name for name in names if re.search(r"\.mcap(\.zstd)?$", name)]
    if not storage and any(name.endswith(".db3") for name in names):
        raise BagFault("it is in SQLite: `ros2 bag convert` makes one in MCAP of it")
    numbered = [([int(n) for n in re.findall(r"\d+", name)], name) for name in storage]
    return [folder / name for _, name in sorted(numbered)]


def _read_mcap(file: Path) -> Iterator[Message]:
    with open_file(file) as raw:
        stream: BinaryIO = BytesIO(_unpacked_file(raw)) if file.suffix == ".zstd" else raw
        magic = stream.read(len(_MAGIC))
        if magic != _MAGIC:
            raise _Cut
        topics: dict[int, Topic] = {}
        schemas: dict[int, tuple[str, MessageDefinition]] = {}
        while (yield from _record(stream, topics, schemas)):
            pass


def _record(
    stream: BinaryIO, topics: dict[int, Topic], schemas: dict[int, tuple[str, MessageDefinition]]
) -> Iterator[Message]:
    """Read a record and yield the messages in it; return whether others follow."""
    kind, size = struct.unpack("<BQ", stream.read(9))
    if kind == _FOOTER:
        return False
    if size > _MOST_RECORD:
        raise _Cut
    data = stream.read(size)
    whole = len(data) == size
    if kind == _CHUNK:
        yield from _chunk(data, topics, schemas, whole)
    if not whole:
        raise _Cut
    fields = BytesIO(data)
    if kind == _SCHEMA:
        (number,) = struct.unpack("<H", fields.read(2))
        name, form, text = (_text(fields) for _ in range(3))
        is_msg = form == "ros2msg"
        form_of = MessageDefinitionFormat.MSG if is_msg else MessageDefinitionFormat.IDL
        schemas[number] = name, MessageDefinition(form_of, text)
    elif kind == _CHANNEL:
        number, schema = struct.unpack("<HH", fields.read(4))
        topics[number] = Topic(_text(fields), *schemas[schema])
    elif kind == _MESSAGE:
        channel, _, received_ns, _ = struct.unpack("<HIQQ", fields.read(22))
        yield topics[channel], received_ns, _unpacked(data[22:])
    return True


def _chunk(
    data: bytes,
    topics: dict[int, Topic],
    schemas: dict[int, tuple[str, MessageDefinition]],
    whole: bool,
) -> Iterator[Message]:
    """Yield the messages of a chunk; of one that is cut those that it still has."""
    fields = BytesIO(data)
    _, _, size, checksum = struct.unpack("<QQQI", fields.read(28))
    compression = _text(fields)
    fields.read(8)
    if compression and not whole:
        raise _Cut
    packed = fields.read()
    records = _unpack(packed, compression, min(size, _MOST_RECORD)) if compression else packed
    if whole and checksum and crc32(records) != checksum:
        raise _Cut
    inner = BytesIO(records)
    while inner.tell() < len(records):
        yield from _record(inner, topics, schemas)


def _text(fields: BytesIO) -> str:
    (size,) = struct.unpack("<I", fields.read(4))
    return fields.read(size).decode()


def _unpacked(data: bytes) -> bytes:
    """Return data without the compression of a message or of a file; CDR begins otherwise."""
    return _unpack(data, "zstd", _MOST_RECORD) if data.startswith(_ZSTD_MAGIC) else data


def _unpacked_file(file: BinaryIO) -> bytes:
    packed = file.read(_MOST_UNPACKED)
    return _unpack(packed, "zstd", _MOST_UNPACKED) if packed.startswith(_ZSTD_MAGIC) else packed


def _unpack(data: bytes, compression: str, most: int) -> bytes:
    decompressor = _DECOMPRESSORS[compression]()
    content: bytes = decompressor.decompress(data, most + 1)
    if len(content) > most or not decompressor.eof:
        raise _Cut
    return content
