# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The transformer as an ONNX graph; of the last layer only the newest token is computed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from pqc_policy.sensing.traffic.features import FEATURES

from pqc_learning.training import network
from pqc_learning.training.tree_graph import IR_VERSION, OPSET

Array = NDArray[np.float32]


class _Graph:
    """Nodes and constants; each call adds one and returns the name of its output."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, value: object) -> str:
        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, kind: str, *inputs: str, output: str = "", **attributes: object) -> str:
        output = output or f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def linear(self, state: str, weights: Mapping[str, Array], name: str) -> str:
        product = self.node("MatMul", state, self.constant(weights[name]))
        return self.node("Add", product, self.constant(weights[f"{name}_shift"]))

    def normed(self, state: str, weights: Mapping[str, Array], name: str) -> str:
        return self.node(
            "LayerNormalization",
            state,
            self.constant(weights[name]),
            self.constant(weights[f"{name}_shift"]),
            axis=-1,
            epsilon=network.NORM,
        )

    def part(self, state: str, axis: int, start: int, end: int) -> str:
        ends = (self.constant(np.array([one])) for one in (start, end, axis))
        return self.node("Slice", state, *ends)

    def shaped(self, state: str, *shape: int) -> str:
        return self.node("Reshape", state, self.constant(np.array(shape)))


def network_graph(
    weights: Mapping[str, Array],
    mean: Array,
    deviation: Array,
    scale: Array,
    shift: Array,
) -> onnx.ModelProto:
    """Return a graph from features (N, BINS, F) to calibrated probabilities (N, classes)."""
    graph = _Graph()
    state = graph.linear(_tokens(graph, mean, deviation), weights, "embed")
    for layer in range(network.LAYERS):
        newest = layer == network.LAYERS - 1
        state = _layer(graph, weights, layer, state, newest=newest)
    margins = graph.linear(graph.normed(state, weights, "norm"), weights, "head")
    margins = graph.shaped(margins, 0, -1)  # one token is left
    scaled = graph.node("Mul", margins, graph.constant(scale))
    calibrated = graph.node("Add", scaled, graph.constant(shift))
    graph.node("Softmax", calibrated, output="probabilities", axis=1)
    size = len(FEATURES)
    given = helper.make_tensor_value_info("features", TensorProto.FLOAT, ["N", network.BINS, size])
    found = helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["N", len(scale)])
    made = helper.make_graph(graph.nodes, "transformer", [given], [found], graph.constants)
    model = helper.make_model(
        made,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="pqc_learning",
    )
    onnx.checker.check_model(model)
    return model


def _tokens(graph: _Graph, mean: Array, deviation: Array) -> str:
    """Add what network.prepared does."""
    bins, patch, size = network.BINS, network.PATCH, len(FEATURES)
    first = graph.part("features", 1, 0, patch)
    earlier = graph.part("features", 1, 0, bins - patch)
    before = graph.node("Concat", first, earlier, axis=1)
    change = graph.node("Sub", "features", before)
    values = graph.node("Where", graph.constant(network.LEVELS), change, "features")
    unknown = graph.node("IsNaN", values)
    known = graph.node("Not", unknown)
    centred = graph.node("Sub", values, graph.constant(mean))
    scaled = graph.node("Div", centred, graph.constant(deviation))
    filled = graph.node("Where", known, scaled, graph.constant(np.float32(0.0)))
    most = np.float32(network.MOST)
    bounded = graph.node("Clip", filled, graph.constant(-most), graph.constant(most))
    mask = graph.node("Cast", known, to=TensorProto.FLOAT)
    both = graph.node("Concat", bounded, mask, axis=2)
    return graph.shaped(both, -1, network.TOKENS, patch * 2 * size)


def _layer(
    graph: _Graph, weights: Mapping[str, Array], layer: int, state: str, *, newest: bool
) -> str:
    """Add a layer; with `newest` only the last token goes on."""
    tokens, heads, head, width = network.TOKENS, network.HEADS, network.HEAD, network.WIDTH
    inner = graph.normed(state, weights, f"{layer}.norm")
    mixed = graph.linear(inner, weights, f"{layer}.heads")
    split = graph.shaped(mixed, -1, tokens, 3, heads, head)
    parts = []
    for turn, order in enumerate(((0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3))):
        part = graph.node("Gather", split, graph.constant(np.array(turn)), axis=2)
        parts.append(graph.node("Transpose", part, perm=order))
    query, key, value = parts
    bias = network.attention_bias()
    if newest:
        query = graph.part(query, 2, tokens - 1, tokens)
        state = graph.part(state, 1, tokens - 1, tokens)
        bias = bias[:, -1:]
    scores = graph.node("MatMul", query, key)
    scores = graph.node("Mul", scores, graph.constant(np.float32(head**-0.5)))
    scores = graph.node("Add", scores, graph.constant(bias))
    found = graph.node("MatMul", graph.node("Softmax", scores, axis=-1), value)
    joined = graph.node("Transpose", found, perm=(0, 2, 1, 3))
    joined = graph.shaped(joined, -1, 1 if newest else tokens, width)
    state = graph.node("Add", state, graph.linear(joined, weights, f"{layer}.joined"))
    inner = graph.linear(graph.normed(state, weights, f"{layer}.norm2"), weights, f"{layer}.wide")
    narrow = graph.linear(graph.node("Relu", inner), weights, f"{layer}.narrow")
    return graph.node("Add", state, narrow)
