# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Types of the vehicle's command line arguments, each with one clear sentence for bad input."""

from __future__ import annotations

import argparse

from pqc_sim.processes.command_line import number
from pqc_sim.vehicle.body import Place


def capacity(text: str) -> float:
    """Read a battery's capacity in mAh."""
    value = number(text)
    if not 1.0 <= value <= 1e6:
        raise argparse.ArgumentTypeError(f"'{text}' isn't a capacity from 1 to 1000000 mAh")
    return value


def place(text: str) -> Place:
    """Read LATITUDE,LONGITUDE,ALTITUDE."""
    parts = text.split(",")
    if len(parts) != 3:
        raise argparse.ArgumentTypeError(f"'{text}' isn't of the form LATITUDE,LONGITUDE,ALTITUDE")
    latitude, longitude, altitude = (number(part) for part in parts)
    # Not the poles: there, east has no meaning.
    if not (abs(latitude) < 85.0 and abs(longitude) <= 180.0 and abs(altitude) < 9000.0):
        raise argparse.ArgumentTypeError(f"'{text}' isn't a place to fly from")
    return Place(latitude, longitude, altitude)
