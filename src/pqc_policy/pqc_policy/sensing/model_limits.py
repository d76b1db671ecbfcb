# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Limits on what a model takes: onnxruntime itself lets 300 bytes allocate gigabytes.

Whatever a model computes comes from one arena of limited size, also what shapes that depend on its
input ask for. Sparse tensors would be unfolded outside of it, before: a model with one is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Timer
from typing import Any

MOST_MEMORY = 128 << 20
_MOST_FOLDED = 16 << 20
_LONGEST_TRIAL_S = 5.0
# Fields of onnx.proto that hold messages, by message; None: a sparse tensor.
_MODEL: dict[int, Any] = {}
_GRAPH: dict[int, Any] = {}
_ATTRIBUTE: dict[int, Any] = {6: _GRAPH, 11: _GRAPH, 22: None, 23: None}
_NODE = {5: _ATTRIBUTE}
_GRAPH |= {1: _NODE, 15: None}
_MODEL |= {7: _GRAPH, 25: {7: _NODE}}
_VARINT, _BYTES = 0, 2
_SIZES = {1: 8, 5: 4}  # of other kinds
_DEEPEST = 20


def is_bounded(content: bytes) -> bool:
    """Return whether a model is a readable one without sparse tensors."""
    try:
        return _is_dense(content, _MODEL, _DEEPEST)
    except (IndexError, ValueError):
        return False


def limited_options() -> Any:
    """Return options for a session on one thread, with memory from the limited arena."""
    import onnxruntime

    _make_arena()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    for name, value in (
        ("session.intra_op.allow_spinning", 0),
        ("session.use_env_allocators", 1),
        ("optimization.constant_folding_max_output_size_in_bytes", _MOST_FOLDED),
    ):
        options.add_session_config_entry(name, str(value))
    return options


@contextmanager
def limited_time() -> Iterator[Any]:
    """Yield options for a trial run that ends it between two operators after some seconds."""
    import onnxruntime

    options = onnxruntime.RunOptions()
    timer = Timer(_LONGEST_TRIAL_S, setattr, (options, "terminate", True))
    timer.start()
    try:
        yield options
    finally:
        timer.cancel()


@cache
def _make_arena() -> None:
    import onnxruntime

    memory = onnxruntime.OrtMemoryInfo(
        "Cpu", onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, onnxruntime.OrtMemType.DEFAULT
    )
    as_requested = {"arena_extend_strategy": 1}
    arena = onnxruntime.OrtArenaCfg({"max_mem": MOST_MEMORY, **as_requested})
    onnxruntime.create_and_register_allocator(memory, arena)


def _is_dense(message: bytes, fields: dict[int, Any], depth: int) -> bool:
    if depth == 0:
        return False
    at = 0
    while at < len(message):
        key, at = _number(message, at)
        kind = key & 7
        if kind == _VARINT:
            _, at = _number(message, at)
            continue
        if kind != _BYTES and kind not in _SIZES:
            raise ValueError("a group")
        size, at = _number(message, at) if kind == _BYTES else (_SIZES[kind], at)
        if size > len(message) - at:
            raise ValueError("cut")
        if key >> 3 in fields and kind == _BYTES:
            inner = fields[key >> 3]
            if inner is None or not _is_dense(message[at : at + size], inner, depth - 1):
                return False
        at += size
    return True


def _number(message: bytes, at: int) -> tuple[int, int]:
    """Return the varint at a place, and the place after it."""
    number = 0
    for shift in range(0, 70, 7):
        byte = message[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
    raise ValueError("too long")
