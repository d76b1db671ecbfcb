# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Where a launch description comes from."""

from __future__ import annotations

from .launch_context import LaunchContext
from .launch_description import LaunchDescription
from .some_substitutions_type import SomeSubstitutionsType
from .utilities import normalize_to_list_of_substitutions, perform_substitutions


class LaunchDescriptionSource:
    """A description given directly, or loaded from a location when it is needed."""

    def __init__(
        self,
        launch_description: LaunchDescription | None = None,
        location: SomeSubstitutionsType = "<string>",
        method: str = "unspecified mechanism from a script",
    ) -> None:
        self.__launch_description = launch_description
        self.__location = normalize_to_list_of_substitutions(location)
        self.__expanded_location: str | None = None
        self.__method = method

    @property
    def location(self) -> str:
        """The path, once it is known; before that, the substitutions in words."""
        if self.__expanded_location is None:
            return " + ".join(str(sub) for sub in self.__location)
        return self.__expanded_location

    @property
    def method(self) -> str:
        """How the description is loaded, in words."""
        return self.__method

    def try_get_launch_description_without_context(self) -> LaunchDescription | None:
        """Return the description if it can be had without running, otherwise None."""
        if self.__launch_description is not None:
            return self.__launch_description
        try:
            location = perform_substitutions(LaunchContext(), self.__location)
            return self._get_launch_description(location)
        except Exception:  # whatever a launch file raises only means "not known yet" here
            return None

    def get_launch_description(self, context: LaunchContext) -> LaunchDescription:
        """Return the description, loading it at the first call."""
        if self.__expanded_location is None:
            self.__expanded_location = perform_substitutions(context, self.__location)
        if self.__launch_description is None:
            self.__launch_description = self._get_launch_description(self.__expanded_location)
        return self.__launch_description

    def _get_launch_description(self, location: str) -> LaunchDescription:
        raise RuntimeError(f"no launch description was given and none can be loaded: {location}")
