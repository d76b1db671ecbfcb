# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Prove the protocol's models: the handshake with Verifpal, the rekey with spin.

Runs every model that formal/expected.toml names, negative controls among them, and compares the
verdicts with the expected ones.
"""

from __future__ import annotations

import argparse

from pqc_bench.formal.expectations import Expectations, read_expectations
from pqc_bench.harness.source_tree import source_tree


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", choices=("spin", "verifpal"), help="models of one tool only")
    parser.add_argument("--name", help="one run only, by its name in formal/expected.toml")


def check(options: argparse.Namespace) -> None:
    """Require that a named run exists."""
    if options.name:
        chosen(options)


def chosen(options: argparse.Namespace) -> Expectations:
    """Return the runs that the options select."""
    return read_expectations(source_tree() / "formal").only(options.only, options.name)
