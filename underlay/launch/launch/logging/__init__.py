# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Where launch and the processes it starts write: the screen and one log directory per launch."""

from __future__ import annotations

import datetime
import logging
import os
import socket
import sys
from pathlib import Path
from typing import Any, TextIO

__all__ = ["get_logger", "get_output_loggers", "launch_config", "log_launch_config", "reset"]

_STANDARD_OUTPUTS: dict[str, dict[str, set[str]]] = {
    "screen": {"both": {"screen"}},
    "log": {"both": {"log"}, "stderr": {"screen"}},
    "both": {"both": {"log", "screen"}},
    "own_log": {"both": {"own_log"}, "stdout": {"own_log"}, "stderr": {"own_log"}},
    "full": {
        "both": {"screen", "log", "own_log"},
        "stdout": {"own_log"},
        "stderr": {"own_log"},
    },
}


class _PerLoggerFormat:
    """Lets one handler serve launch's own messages and the raw lines of processes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._formatters: dict[str, logging.Formatter] = {}

    def set_formatter_for(self, logger: logging.Logger, formatter: logging.Formatter) -> None:
        self._formatters[logger.name] = formatter

    def format(self, record: logging.LogRecord) -> str:
        formatter = self._formatters.get(record.name) or self.formatter
        return formatter.format(record)


class _ScreenHandler(_PerLoggerFormat, logging.StreamHandler):
    @property
    def stream(self) -> TextIO:
        return sys.stdout

    @stream.setter
    def stream(self, stream: TextIO) -> None:
        """Ignore the stream at creation: sys.stdout may be replaced later."""


class _FileHandler(_PerLoggerFormat, logging.FileHandler):
    pass


class LaunchConfig:
    """The log directory, the level and the handlers."""

    def __init__(self) -> None:
        self._log_dir: str | None = None
        self._screen_handler: _ScreenHandler | None = None
        self.file_handlers: dict[str, _FileHandler] = {}
        self.level = logging.INFO

    @property
    def level(self) -> int:
        """The lowest level that is logged."""
        return self._level

    @level.setter
    def level(self, level: int) -> None:
        self._level = level
        for name in _logger_names:
            logging.getLogger(name).setLevel(level)

    @property
    def log_dir(self) -> str:
        """This launch's own directory below $ROS_LOG_DIR, $ROS_HOME/log or ~/.ros/log."""
        if self._log_dir is None:
            home = os.environ.get("ROS_HOME") or os.path.join("~", ".ros")
            base = os.environ.get("ROS_LOG_DIR") or os.path.join(home, "log")
            stamp = datetime.datetime.now().strftime("%Y-%m-%d-%H-%M-%S-%f")
            path = Path(base).expanduser() / f"{stamp}-{socket.gethostname()}-{os.getpid()}"
            path.mkdir(parents=True, exist_ok=True)
            self._log_dir = str(path)
            _point_latest_at(path)
        return self._log_dir

    @log_dir.setter
    def log_dir(self, log_dir: str | None) -> None:
        if log_dir is not None and not os.path.isdir(log_dir):
            raise ValueError(f"{log_dir} is not a directory")
        self._log_dir = log_dir

    def get_screen_handler(self) -> _ScreenHandler:
        """Return the one handler that writes to the screen."""
        if self._screen_handler is None:
            self._screen_handler = _ScreenHandler()
            self._screen_handler.setFormatter(
                logging.Formatter("[{levelname}] [{name}]: {msg}", style="{")
            )
        return self._screen_handler

    def get_log_file_path(self, file_name: str = "launch.log") -> str:
        """Return the path of a file in the log directory."""
        return os.path.join(self.log_dir, file_name)

    def get_log_file_handler(self, file_name: str = "launch.log") -> _FileHandler:
        """Return the one handler that writes to the named file in the log directory."""
        if file_name not in self.file_handlers:
            handler = _FileHandler(self.get_log_file_path(file_name), encoding="utf-8")
            handler.setFormatter(
                logging.Formatter("{created:.7f} [{levelname}] [{name}]: {msg}", style="{")
            )
            self.file_handlers[file_name] = handler
        return self.file_handlers[file_name]


def _point_latest_at(path: Path) -> None:
    """Renew the link `latest`; another launch doing the same at this moment is no error."""
    latest = path.parent / "latest"
    try:
        if latest.is_symlink():
            latest.unlink()
        latest.symlink_to(path, target_is_directory=True)
    except OSError:
        pass


_logger_names: set[str] = set()
launch_config = LaunchConfig()


def reset() -> None:
    """Forget all handlers and the log directory."""
    for name in _logger_names:
        logging.getLogger(name).handlers.clear()
    for handler in launch_config.file_handlers.values():
        handler.close()
    launch_config.__init__()


def log_launch_config(*, logger: logging.Logger) -> None:
    """Say where the log files are and what is logged."""
    if launch_config.file_handlers:
        logger.info(f"All log files can be found below {launch_config.log_dir}")
    level = logging.getLevelName(launch_config.level)
    logger.info(f"Default logging verbosity is set to {level}")


def _plain_logger(name: str) -> logging.Logger:
    logger = logging.getLogger(name)
    logger.propagate = False
    logger.setLevel(launch_config.level)
    _logger_names.add(name)
    return logger


def _add(logger: logging.Logger, handler: Any, format_: str | None = None) -> None:
    if handler not in logger.handlers:
        logger.addHandler(handler)
        if format_ is not None:
            handler.set_formatter_for(logger, logging.Formatter(format_, style="{"))


def get_logger(name: str | None = None) -> logging.Logger:
    """Return a logger that writes to the screen and to launch.log."""
    logger = _plain_logger(name or "launch")
    _add(logger, launch_config.get_screen_handler())
    _add(logger, launch_config.get_log_file_handler())
    return logger


def _destinations(output_config: str | dict[str, Any]) -> dict[str, set[str]]:
    if isinstance(output_config, str):
        if output_config not in _STANDARD_OUTPUTS:
            raise ValueError(
                f"{output_config} is not a valid standard output config "
                'i.e. "screen", "log" or "both"'
            )
        output_config = _STANDARD_OUTPUTS[output_config]
    result: dict[str, set[str]] = {"both": set(), "stdout": set(), "stderr": set()}
    for source, destinations in output_config.items():
        names = {destinations} if isinstance(destinations, str) else set(destinations)
        if source not in result:
            raise ValueError(f"{source} is not a valid output source")
        if not names <= {"screen", "log", "own_log"}:
            raise ValueError(f"{destinations} is not a valid output destination")
        result[source] = names
    return result


def get_output_loggers(
    process_name: str, output_config: str | dict[str, Any]
) -> tuple[logging.Logger, logging.Logger]:
    """Return the loggers for the lines a process writes to stdout and stderr."""
    destinations = _destinations(output_config)
    loggers = []
    for source in ("stdout", "stderr"):
        logger = _plain_logger(f"{process_name}-{source}")
        wanted = destinations["both"] | destinations[source]
        if "screen" in wanted:
            _add(logger, launch_config.get_screen_handler(), "{msg}")
        if "log" in wanted:
            _add(logger, launch_config.get_log_file_handler(), "{created:.7f} {msg}")
        for key, file_name in (
            (source, f"{process_name}-{source}.log"),
            ("both", f"{process_name}.log"),
        ):
            if "own_log" in destinations[key]:
                _add(logger, launch_config.get_log_file_handler(file_name), "{msg}")
        loggers.append(logger)
    return loggers[0], loggers[1]
