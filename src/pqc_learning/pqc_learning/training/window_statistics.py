# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What the trees see of a window: statistics of each feature, in NumPy and as nodes of a graph.

Of the features that are absolute levels only the change within the window is kept, so that the
rate of a link says nothing.
"""

from __future__ import annotations

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from pqc_policy.sensing.traffic.features import FEATURES

_LEVELS = tuple(
    index
    for index, name in enumerate(FEATURES)
    if name.endswith(("_sent", "_received", "_size")) and not name.startswith("dropped")
)
_SHARES = tuple(index for index in range(len(FEATURES)) if index not in _LEVELS)
_FAR = np.float32(1e30)
NAMES: tuple[str, ...] = (
    *(
        f"{statistic} {FEATURES[index]}"
        for statistic in ("last", "mean", "least", "most")
        for index in _SHARES
    ),
    *(f"{statistic} {FEATURES[index]}" for statistic in ("rise", "range") for index in _LEVELS),
)


def statistics(windows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the statistics of windows; shape (N, bins, F) to (N, len(NAMES)), NaN if unknown."""
    known = ~np.isnan(windows)
    count = known.sum(axis=1, dtype=np.float32)
    filled = np.where(known, windows, np.float32(0.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = filled.sum(axis=1) / count
    nothing = np.float32(np.nan)
    least = np.where(count > 0, np.where(known, windows, _FAR).min(axis=1), nothing)
    most = np.where(count > 0, np.where(known, windows, -_FAR).max(axis=1), nothing)
    last = windows[:, -1]
    shares, levels = list(_SHARES), list(_LEVELS)
    parts = [part[:, shares] for part in (last, mean, least, most)]
    parts += [(last - mean)[:, levels], (most - least)[:, levels]]
    return np.concatenate(parts, axis=1)


def nodes(source: str, result: str) -> tuple[list[onnx.NodeProto], list[onnx.TensorProto]]:
    """Return nodes and constants that compute the same from a tensor of a graph."""
    constants = {
        "zero": np.float32(0.0),
        "far": _FAR,
        "near": -_FAR,
        "unknown": np.float32(np.nan),
        "bins_axis": np.array([1]),
        "last_bin": np.array(-1),
        "shares": np.array(_SHARES),
        "levels": np.array(_LEVELS),
    }

    def node(kind: str, inputs: str, output: str, **attributes: object) -> onnx.NodeProto:
        return helper.make_node(kind, inputs.split(), [output], **attributes)

    made = [
        node("IsNaN", source, "is_unknown"),
        node("Not", "is_unknown", "is_known"),
        node("Cast", "is_known", "known_float", to=TensorProto.FLOAT),
        node("ReduceSum", "known_float bins_axis", "known_count", keepdims=0),
        node("Where", f"is_known {source} zero", "filled"),
        node("ReduceSum", "filled bins_axis", "filled_sum", keepdims=0),
        node("Div", "filled_sum known_count", "mean"),
        node("Greater", "known_count zero", "some_known"),
        node("Where", f"is_known {source} far", "filled_far"),
        node("ReduceMin", "filled_far", "least_far", axes=[1], keepdims=0),
        node("Where", "some_known least_far unknown", "least"),
        node("Where", f"is_known {source} near", "filled_near"),
        node("ReduceMax", "filled_near", "most_near", axes=[1], keepdims=0),
        node("Where", "some_known most_near unknown", "most"),
        node("Gather", f"{source} last_bin", "last", axis=1),
        node("Sub", "last mean", "rise"),
        node("Sub", "most least", "range"),
    ]
    parts = []
    for name in ("last", "mean", "least", "most"):
        made.append(node("Gather", f"{name} shares", f"{name}_shares", axis=1))
        parts.append(f"{name}_shares")
    for name in ("rise", "range"):
        made.append(node("Gather", f"{name} levels", f"{name}_levels", axis=1))
        parts.append(f"{name}_levels")
    made.append(node("Concat", " ".join(parts), result, axis=1))
    tensors = [
        numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()
    ]
    return made, tensors
