# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The programs of the nodes: SIGINT ends them quietly, also while their modules are imported."""

from __future__ import annotations

from importlib import import_module

from pqc_policy.nodes.interruption import exit_on_sigint


def advisor_node() -> int:
    """Run `advisor_node` until it is stopped."""
    return _main("pqc_policy.nodes.advisor_node")


def policy_node() -> int:
    """Run `policy_node` until it is stopped."""
    return _main("pqc_policy.nodes.policy_node")


def sensing_node() -> int:
    """Run `sensing_node` until it is stopped."""
    return _main("pqc_policy.nodes.sensing_node")


def _main(module: str) -> int:
    exit_on_sigint()
    code: int = import_module(module).main()
    return code
