# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench meter`."""

from __future__ import annotations

import argparse

from pqc_bench.meter.meter_import import import_meter


def run(options: argparse.Namespace) -> int:
    return import_meter(options.folder, options.file, options.volts)
