# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Logs of launch and its processes: the screen, and one log folder per launch."""

from __future__ import annotations

import contextlib
import datetime
import functools
import logging
import os
import socket
import sys
from pathlib import Path

# For the output of a process on stdout and stderr.
_DESTINATIONS = {"screen": ({"screen"}, {"screen"}), "log": ({"log"}, {"log", "screen"})}


@functools.cache
def log_dir() -> Path:
    """Return this launch's own folder below $ROS_LOG_DIR, $ROS_HOME/log or ~/.ros/log."""
    home = os.environ.get("ROS_HOME") or os.path.join("~", ".ros")
    base = Path(os.environ.get("ROS_LOG_DIR") or os.path.join(home, "log")).expanduser()
    stamp = datetime.datetime.now().strftime("%Y-%m-%d-%H-%M-%S-%f")
    path = base / f"{stamp}-{socket.gethostname()}-{os.getpid()}"
    path.mkdir(parents=True, exist_ok=True)
    latest = base / "latest"
    with contextlib.suppress(OSError):  # another launch may create the same folder at this moment
        if latest.is_symlink():
            latest.unlink()
        latest.symlink_to(path, target_is_directory=True)
    return path


class _CurrentStandardOutput:
    """Writes to the present sys.stdout, which tests replace."""

    def write(self, text: str) -> None:
        sys.stdout.write(text)

    def flush(self) -> None:
        sys.stdout.flush()


@functools.cache
def _handler(destination: str, format_: str) -> logging.Handler:
    handler: logging.Handler
    if destination == "screen":
        handler = logging.StreamHandler(_CurrentStandardOutput())
    else:
        handler = logging.FileHandler(log_dir() / "launch.log", encoding="utf-8")
    handler.setFormatter(logging.Formatter(format_, style="{"))
    return handler


def _logger(name: str, handlers: list[logging.Handler]) -> logging.Logger:
    logger = logging.getLogger(name)
    logger.propagate = False
    logger.setLevel(logging.INFO)
    logger.handlers = handlers
    return logger


def get_logger(name: str) -> logging.Logger:
    """Return a logger that writes to the screen and to launch.log."""
    return _logger(
        name,
        [
            _handler("screen", "[{levelname}] [{name}]: {msg}"),
            _handler("log", "{created:.7f} [{levelname}] [{name}]: {msg}"),
        ],
    )


def get_output_loggers(process_name: str, output: str) -> list[logging.Logger]:
    """Return the loggers for the lines that a process writes to stdout and stderr."""
    if output not in _DESTINATIONS:
        raise ValueError(f"{output} is not a valid standard output config i.e. 'screen' or 'log'")
    formats = {"screen": "{msg}", "log": "{created:.7f} {msg}"}
    return [
        _logger(f"{process_name}-{stream}", [_handler(name, formats[name]) for name in names])
        for stream, names in zip(("stdout", "stderr"), _DESTINATIONS[output], strict=True)
    ]
