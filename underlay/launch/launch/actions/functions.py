# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Actions that run Python or log a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .. import logging
from ..action import Action
from ..launch_context import LaunchContext
from ..launch_description_entity import LaunchDescriptionEntity
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions


class OpaqueFunction(Action):
    """Calls function(context, *args, **kwargs); it may return entities to visit."""

    def __init__(
        self,
        *,
        function: Callable[..., list[LaunchDescriptionEntity] | None],
        args: Iterable[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
        **left_over_kwargs: Any,
    ) -> None:
        super().__init__(**left_over_kwargs)
        if not callable(function):
            raise TypeError(f"OpaqueFunction expected a callable, got '{type(function)}'")
        self.__function = function
        self.__args = list(args or ())
        self.__kwargs = dict(kwargs or {})

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Call the function."""
        return self.__function(context, *self.__args, **self.__kwargs)


class LogInfo(Action):
    """Logs a message."""

    def __init__(self, *, msg: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__msg = normalize_to_list_of_substitutions(msg)

    @property
    def msg(self) -> list[Substitution]:
        """The message."""
        return self.__msg

    def describe(self) -> str:
        """Return a readable form."""
        return f"LogInfo({' + '.join(sub.describe() for sub in self.msg)})"

    def execute(self, context: LaunchContext) -> None:
        """Log it."""
        logging.get_logger("launch.user").info(perform_substitutions(context, self.msg))
