# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Launch descriptions from Python files."""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from types import ModuleType

from ..launch_description import LaunchDescription
from ..launch_description_source import LaunchDescriptionSource
from ..some_substitutions_type import SomeSubstitutionsType

__all__ = [
    "AnyLaunchDescriptionSource",
    "InvalidLaunchFileError",
    "InvalidPythonLaunchFileError",
    "PythonLaunchDescriptionSource",
    "get_launch_description_from_any_launch_file",
    "get_launch_description_from_python_launch_file",
    "load_python_launch_file_as_module",
]


class InvalidLaunchFileError(Exception):
    """Raised for a file of an unknown kind."""


class InvalidPythonLaunchFileError(Exception):
    """Raised for a Python file without generate_launch_description()."""


def load_python_launch_file_as_module(python_launch_file_path: str) -> ModuleType:
    """Run a Python file and return its names."""
    loader = SourceFileLoader("python_launch_file", python_launch_file_path)
    spec = spec_from_loader(loader.name, loader)
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def get_launch_description_from_python_launch_file(
    python_launch_file_path: str,
) -> LaunchDescription:
    """Return what generate_launch_description() of the file returns."""
    module = load_python_launch_file_as_module(python_launch_file_path)
    if not hasattr(module, "generate_launch_description"):
        raise InvalidPythonLaunchFileError(
            f"launch file at '{python_launch_file_path}' does not contain the required function "
            "'generate_launch_description()'"
        )
    return module.generate_launch_description()


def get_launch_description_from_any_launch_file(launch_file_path: str) -> LaunchDescription:
    """Return the description in a launch file; only Python files are understood."""
    if not launch_file_path.endswith(".py"):
        raise InvalidLaunchFileError(
            f"'{launch_file_path}' is not a launch file: only Python launch files are understood"
        )
    return get_launch_description_from_python_launch_file(launch_file_path)


class PythonLaunchDescriptionSource(LaunchDescriptionSource):
    """A Python launch file."""

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        super().__init__(None, launch_file_path, "interpreted python launch file")

    def _get_launch_description(self, location: str) -> LaunchDescription:
        return get_launch_description_from_python_launch_file(location)


class AnyLaunchDescriptionSource(LaunchDescriptionSource):
    """A launch file whose kind follows from its name."""

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        super().__init__(None, launch_file_path, "interpreted launch file")

    def _get_launch_description(self, location: str) -> LaunchDescription:
        return get_launch_description_from_any_launch_file(location)
