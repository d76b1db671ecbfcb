# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The source of a launch description."""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

from .launch_context import LaunchContext
from .launch_description import LaunchDescription
from .substitutions import SomeSubstitutionsType, Text


class LaunchDescriptionSource:
    """A description given directly, or a Python launch file that is loaded when it is needed."""

    def __init__(
        self,
        launch_description: LaunchDescription | None = None,
        location: SomeSubstitutionsType = "<string>",
    ) -> None:
        self.__launch_description = launch_description
        self.__location = Text(location)

    def try_get_launch_description_without_context(self) -> LaunchDescription | None:
        """Return the description if it is known without running, otherwise None."""
        try:
            return self.get_launch_description(LaunchContext())
        except Exception:  # any exception of a launch file means "not known yet" here
            return None

    def get_launch_description(self, context: LaunchContext) -> LaunchDescription:
        """Return the description, loading it at the first call."""
        if self.__launch_description is None:
            self.__launch_description = _load(self.__location.perform(context))
        return self.__launch_description


def _load(path: str) -> LaunchDescription:
    if not path.endswith(".py"):
        raise RuntimeError(f"'{path}' is not a Python launch file, and no other kind is supported")
    loader = SourceFileLoader("python_launch_file", path)
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    if not hasattr(module, "generate_launch_description"):
        raise RuntimeError(
            f"launch file at '{path}' does not contain the required function "
            "'generate_launch_description()'"
        )
    return module.generate_launch_description()
