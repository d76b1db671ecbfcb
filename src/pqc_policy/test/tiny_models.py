# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Small ONNX models for tests, encoded by hand, in folders with their cards.

A model adds a bias to the product of its features with a matrix, and takes the softmax.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pqc_policy.sensing.model_card import CLASSES
from pqc_policy.sensing.traffic.features import FEATURES

_FLOAT, _INT64, _BOOL = 1, 7, 9  # element types of tensors
_IR_VERSION, _OPSET = 8, 13
# The newest bin's rate of datagrams with no known key makes an attack volumetric.
TELLING = "dropped_unknown"
BINS = 5


def _varint(number: int) -> bytes:
    groups = b""
    while number > 0x7F:
        groups += bytes([number & 0x7F | 0x80])
        number >>= 7
    return groups + bytes([number])


def _field(number: int, value: int | bytes | str) -> bytes:
    """Return a field of a protocol buffer."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _tensor(name: str, values: np.ndarray) -> bytes:
    kind = {"int64": _INT64, "bool": _BOOL}.get(values.dtype.name, _FLOAT)
    dims = b"".join(_field(1, size) for size in values.shape)
    return dims + _field(2, kind) + _field(8, name) + _field(9, values.tobytes())


def _external(name: str, size: int, location: str) -> bytes:
    entry = _field(1, "location") + _field(2, location)
    return _field(1, size) + _field(2, _FLOAT) + _field(8, name) + _field(13, entry) + _field(14, 1)


def _node(kind: str, inputs: Iterable[str], output: str) -> bytes:
    return b"".join(_field(1, one) for one in inputs) + _field(2, output) + _field(4, kind)


def _end(name: str, shape: Sequence[int]) -> bytes:
    dims = b"".join(_field(1, _field(1, size)) for size in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, _FLOAT) + _field(2, dims)))


def model(
    bins: int = BINS,
    features: int = len(FEATURES),
    classes: int = len(CLASSES),
    *,
    bias: Sequence[float] | None = None,
    fills: bool = True,
    output: str = "probabilities",
    kind: str = "Softmax",
    bias_file: str = "",
) -> bytes:
    """Return an ONNX model; `fills`: unknown values count as 0, else the result is unknown, too."""
    weights = np.zeros((bins * features, classes), dtype=np.float32)
    if features == len(FEATURES) and classes > 1:
        weights[(bins - 1) * features + FEATURES.index(TELLING), 1] = 8.0
    given = [0.0, *[-8.0] * (classes - 1)] if bias is None else bias
    nodes = [
        _node("IsNaN", ["features"], "unknown"),
        _node("Where", ["unknown", "zero", "features"], "known"),
        _node("Reshape", ["known" if fills else "features", "shape"], "flat"),
        _node("MatMul", ["flat", "weights"], "product"),
        _node("Add", ["product", "bias"], "sum"),
        _node(kind, ["sum"], output),
    ]
    tensors = [
        _tensor("zero", np.zeros((1,), dtype=np.float32)),
        _tensor("shape", np.array([1, bins * features], dtype=np.int64)),
        _tensor("weights", weights),
        _external("bias", classes, bias_file)
        if bias_file
        else _tensor("bias", np.array(given, dtype=np.float32)),
    ]
    graph = b"".join(
        [
            *(_field(1, node) for node in nodes),
            _field(2, "tiny"),
            *(_field(5, tensor) for tensor in tensors),
            _field(11, _end("features", [1, bins, features])),
            _field(12, _end(output, [1, classes])),
        ]
    )
    return _field(1, _IR_VERSION) + _field(7, graph) + _field(8, _field(2, _OPSET))


def bomb(kind: str) -> bytes:
    """Return a model of some hundred bytes that asks for gigabytes, or that never ends."""
    side = np.array([25000, 25000], dtype=np.int64)
    tensors, extra, nodes = [], b"", []
    if kind == "constant":
        tensors = [_tensor("side", side)]
        nodes = [_node("ConstantOfShape", ["side"], "much")]
    elif kind == "doubled":
        axis = _field(5, _field(1, "axis") + _field(3, 1) + _field(20, 2))
        names = ["features", *(f"times{n}" for n in range(24)), "much"]
        nodes = [_node("Concat", [a, a], b) + axis for a, b in itertools.pairwise(names)]
    elif kind == "sparse":
        one = _tensor("much", np.ones(1, dtype=np.float32))
        extra = _field(
            15, _field(1, one) + _field(2, _tensor("", side[:1] * 0)) + _field(3, 1 << 28)
        )
    elif kind == "endless":
        tensors = [_tensor("turns", np.array(1 << 60)), _tensor("on", np.array(True))]
        nodes = [
            _node("Identity", ["features"], "much0"),
            _node("Loop", ["turns", "on", "much0"], "much") + _field(5, _body()),
        ]
    nodes += [
        _node("ReduceMean", ["much"], "mean"),
        _node("Reshape", ["mean", "shape"], "flat"),
        _node("Add", ["flat", "bias"], "sum"),
        _node("Softmax", ["sum"], "probabilities"),
    ]
    tensors += [
        _tensor("shape", np.array([1, 1], dtype=np.int64)),
        _tensor("bias", np.array([0, -8, -8, -8, -8, -8], dtype=np.float32)),
    ]
    graph = b"".join(
        [
            *(_field(1, node) for node in nodes),
            _field(2, "bomb"),
            *(_field(5, tensor) for tensor in tensors),
            _field(11, _end("features", [1, BINS, len(FEATURES)])),
            _field(12, _end("probabilities", [1, len(CLASSES)])),
            extra,
        ]
    )
    return _field(1, _IR_VERSION) + _field(7, graph) + _field(8, _field(2, _OPSET))


def _body() -> bytes:
    """Return the attribute of a loop that passes its value on, and goes on."""

    def scalar(name: str, kind: int) -> bytes:
        return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, b"")))

    value = [1, BINS, len(FEATURES)]
    graph = [
        _field(1, _node("Identity", ["go"], "goes")),
        _field(1, _node("Identity", ["before"], "after")),
        _field(2, "body"),
        _field(11, scalar("turn", _INT64)),
        _field(11, scalar("go", _BOOL)),
        _field(11, _end("before", value)),
        _field(12, scalar("goes", _BOOL)),
        _field(12, _end("after", value)),
    ]
    return _field(1, "body") + _field(6, b"".join(graph)) + _field(20, 5)


def card(content: bytes, name: str, **changes: Any) -> dict[str, Any]:
    """Return the card of a model."""
    return {
        "format": 1,
        "name": name,
        "bin_s": 0.6,
        "bins": BINS,
        "features": list(FEATURES),
        "classes": list(CLASSES),
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "training": {"seed": 1},
        "metrics": {},
        "thresholds": {"attack": 0.8},
        "usual_range": {key: [-4.0, 4.0] for key in FEATURES},
        **changes,
    }


def folder(parent: Path, name: str = "tiny", content: bytes | None = None, **changes: Any) -> Path:
    """Write a model and its card, with changes to the card, and return the folder."""
    content = model() if content is None else content
    place = parent / name
    place.mkdir(parents=True)
    (place / "model.onnx").write_bytes(content)
    text = json.dumps(card(content, name, **changes))
    (place / "card.json").write_text(text, encoding="utf-8")
    return place


def infinite_card(place: Path) -> None:
    """Replace the threshold in a card by a number that is not finite."""
    file = place / "card.json"
    file.write_text(file.read_text("utf-8").replace('"attack": 0.8', '"attack": NaN'), "utf-8")


def floats(*values: float) -> bytes:
    """Return numbers as a file of tensors has them."""
    return struct.pack(f"<{len(values)}f", *values)
