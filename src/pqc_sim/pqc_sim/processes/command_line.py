# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Types of command line arguments, each with one clear sentence for bad input."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import Any, NoReturn

from pqc_sim.datagrams.udp_port import Endpoint, parse_endpoint
from pqc_sim.processes.run_fault import RunFault


class Parser(argparse.ArgumentParser):
    """A parser that answers bad input with one sentence, without the whole usage."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read the arguments and call `check_together`, if set, with what they say together."""
        try:
            options = super().parse_args(args, namespace)
            getattr(options, "check_together", lambda _: None)(options)
        except RunFault as fault:
            self.error(str(fault))
        return options

    def error(self, message: str) -> NoReturn:
        """Print the sentence and end with 2."""
        self.exit(2, f"{self.prog}: {message}\n")

    def option(self, name: str, text: str, **details: Any) -> None:
        """Add an argument with its help text; `details` as for `add_argument`."""
        self.add_argument(name, help=text, **details)


def endpoint(text: str) -> Endpoint:
    try:
        return parse_endpoint(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def whole(
    least: int, most: int | None = None, what: str = "a whole number", unit: str = ""
) -> Callable[[str], int]:
    """Return a reader of whole numbers in a range; `what` and `unit` name them in errors."""
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}{unit}"

    def read(text: str) -> int:
        number = int(text) if text.isascii() and text.isdigit() else -1
        if number < least or (most is not None and number > most):
            raise argparse.ArgumentTypeError(f"'{text}' isn't {what} {bounds}")
        return number

    return read


message_rate = whole(1, 20_000, "a rate", " per second")
datagram_rate = whole(1, 200_000, "a rate", " per second")
# At least the header of the blaster; at most one IP packet after encryption.
datagram_size = whole(40, 1400, "a size", " bytes")


def separated(read: Callable[[str], int]) -> Callable[[str], list[int]]:
    """Return a reader of several such numbers, separated by commas."""
    return lambda text: [read(word) for word in text.split(",")]


def link_seed(text: str) -> int:
    """Read a whole number of 64 bits, not negative."""
    if not text.isdigit() or not int(text) < 1 << 64:
        raise argparse.ArgumentTypeError(f"'{text}' isn't a seed from 0 to 2^64-1")
    return int(text)


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}' isn't a number") from error


def real(least: float, most: float, what: str) -> Callable[[str], float]:
    """Return a reader of finite numbers in a range; `what` names them in errors."""

    def read(text: str) -> float:
        value = number(text)
        if not (least <= value <= most and math.isfinite(value)):
            raise argparse.ArgumentTypeError(f"'{text}' isn't {what}")
        return value

    return read


percent = real(0.0, 100.0, "a percentage from 0 to 100")
seconds = real(0.0, math.inf, "a number of seconds")
milliseconds = real(0.0, math.inf, "a number of milliseconds")
