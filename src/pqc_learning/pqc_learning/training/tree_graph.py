# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Boosted trees as an ONNX graph, from the JSON in which xgboost saves them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from pqc_policy.sensing.traffic.features import FEATURES

from pqc_learning.training import window_statistics

OPSET, ML_OPSET = 17, 3
IR_VERSION = 9


def tree_graph(
    booster: Any, bins: int, classes: int, scale: NDArray[np.float32], shift: NDArray[np.float32]
) -> onnx.ModelProto:
    """Return a graph from features (N, bins, F) to calibrated probabilities (N, classes).

    The margins of the trees are multiplied by `scale` and get `shift` before the softmax.
    """
    nodes, constants = window_statistics.nodes("features", "statistics")
    trees = _ensemble(json.loads(bytes(booster.save_raw("json"))), classes)
    nodes.append(
        helper.make_node(
            "TreeEnsembleRegressor",
            ["statistics"],
            ["margins"],
            domain="ai.onnx.ml",
            n_targets=classes,
            aggregate_function="SUM",
            post_transform="NONE",
            **trees,
        )
    )
    nodes += [
        helper.make_node("Mul", ["margins", "scale"], ["scaled"]),
        helper.make_node("Add", ["scaled", "shift"], ["calibrated"]),
        helper.make_node("Softmax", ["calibrated"], ["probabilities"], axis=1),
    ]
    constants += [
        numpy_helper.from_array(scale.astype(np.float32), "scale"),
        numpy_helper.from_array(shift.astype(np.float32), "shift"),
    ]
    given = helper.make_tensor_value_info("features", TensorProto.FLOAT, ["N", bins, len(FEATURES)])
    found = helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["N", classes])
    graph = helper.make_graph(nodes, "trees", [given], [found], constants)
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)],
        ir_version=IR_VERSION,
        producer_name="pqc_learning",
    )
    onnx.checker.check_model(model)
    return model


def _ensemble(saved: dict[str, Any], classes: int) -> dict[str, Any]:
    model = saved["learner"]["gradient_booster"]["model"]
    columns: dict[str, list[Any]] = {
        name: []
        for name in (
            "nodes_treeids",
            "nodes_nodeids",
            "nodes_featureids",
            "nodes_modes",
            "nodes_values",
            "nodes_truenodeids",
            "nodes_falsenodeids",
            "nodes_missing_value_tracks_true",
            "target_treeids",
            "target_nodeids",
            "target_ids",
            "target_weights",
        )
    }
    for tree, target in zip(model["trees"], model["tree_info"], strict=True):
        _append(columns, tree, target)
    base = json.loads(saved["learner"]["learner_model_param"]["base_score"])
    columns["base_values"] = (
        [float(one) for one in base] if isinstance(base, list) else ([float(base)] * classes)
    )
    return columns


def _append(columns: dict[str, list[Any]], tree: dict[str, Any], target: int) -> None:
    number = columns["nodes_treeids"][-1] + 1 if columns["nodes_treeids"] else 0
    for node, left in enumerate(tree["left_children"]):
        leaf = left == -1
        columns["nodes_treeids"].append(number)
        columns["nodes_nodeids"].append(node)
        columns["nodes_featureids"].append(0 if leaf else tree["split_indices"][node])
        columns["nodes_modes"].append("LEAF" if leaf else "BRANCH_LT")
        columns["nodes_values"].append(0.0 if leaf else tree["split_conditions"][node])
        columns["nodes_truenodeids"].append(0 if leaf else left)
        columns["nodes_falsenodeids"].append(0 if leaf else tree["right_children"][node])
        columns["nodes_missing_value_tracks_true"].append(int(tree["default_left"][node]))
        if leaf:
            columns["target_treeids"].append(number)
            columns["target_nodeids"].append(node)
            columns["target_ids"].append(target)
            # xgboost saves the value of a leaf as its split condition.
            columns["target_weights"].append(tree["split_conditions"][node])
