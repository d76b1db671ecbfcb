# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Types of command line arguments, each with one clear sentence for bad input."""

from __future__ import annotations

import argparse
from typing import NoReturn

from pqc_bench.udp_port import Endpoint, parse_endpoint
from pqc_bench.vehicle.body import Place

_FASTEST_HZ = 20_000


class Parser(argparse.ArgumentParser):
    """A parser that answers bad input with one sentence, without the whole usage."""

    def error(self, message: str) -> NoReturn:
        """Print the sentence and end with 2."""
        self.exit(2, f"{self.prog}: {message}\n")


def endpoint(text: str) -> Endpoint:
    """Read HOST:PORT."""
    try:
        return parse_endpoint(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def message_rate(text: str) -> int:
    """Read a whole number of messages per second."""
    if not text.isdigit() or not 1 <= int(text) <= _FASTEST_HZ:
        raise argparse.ArgumentTypeError(
            f"'{text}' isn't a rate from 1 to {_FASTEST_HZ} per second"
        )
    return int(text)


def link_seed(text: str) -> int:
    """Read a whole number of 64 bits, not negative."""
    if not text.isdigit() or not int(text) < 1 << 64:
        raise argparse.ArgumentTypeError(f"'{text}' isn't a seed from 0 to 2^64-1")
    return int(text)


def percent(text: str) -> float:
    """Read a number from 0 to 100."""
    value = _number(text)
    if not 0.0 <= value <= 100.0:
        raise argparse.ArgumentTypeError(f"'{text}' isn't a percentage from 0 to 100")
    return value


def capacity(text: str) -> float:
    """Read a battery's capacity in mAh."""
    value = _number(text)
    if not 1.0 <= value <= 1e6:
        raise argparse.ArgumentTypeError(f"'{text}' isn't a capacity from 1 to 1000000 mAh")
    return value


def seconds(text: str) -> float:
    """Read a time in s, not negative."""
    value = _number(text)
    if not 0.0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' isn't a number of seconds")
    return value


def place(text: str) -> Place:
    """Read LATITUDE,LONGITUDE,ALTITUDE."""
    parts = text.split(",")
    if len(parts) != 3:
        raise argparse.ArgumentTypeError(f"'{text}' isn't of the form LATITUDE,LONGITUDE,ALTITUDE")
    latitude, longitude, altitude = (_number(part) for part in parts)
    # Not the poles: there, east has no meaning.
    if not (abs(latitude) < 85.0 and abs(longitude) <= 180.0 and abs(altitude) < 9000.0):
        raise argparse.ArgumentTypeError(f"'{text}' isn't a place to fly from")
    return Place(latitude, longitude, altitude)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}' isn't a number") from error
