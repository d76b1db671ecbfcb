# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Actions that hold for all nodes launched later in the same scope."""

from __future__ import annotations

from typing import Any

from launch.action import Action
from launch.launch_context import LaunchContext
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitutions import SubstitutionFailure
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions
from rclpy.exceptions import InvalidNamespaceException
from rclpy.validate_namespace import validate_namespace

from ..utilities import (
    evaluate_parameter_dict,
    make_namespace_absolute,
    normalize_parameter_dict,
    prefix_namespace,
)


def _append(context: LaunchContext, name: str, items: list[Any]) -> None:
    # A new list each time: an enclosing scope keeps the one it has.
    configurations = context.launch_configurations
    configurations[name] = [*configurations.get(name, []), *items]


class PushROSNamespace(Action):
    """Puts the nodes into a namespace, within the present one unless it is absolute."""

    def __init__(self, namespace: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__namespace = normalize_to_list_of_substitutions(namespace)

    def execute(self, context: LaunchContext) -> None:
        """Set the namespace; SubstitutionFailure if it is not a valid one."""
        previous = context.launch_configurations.get("ros_namespace")
        pushed = perform_substitutions(context, self.__namespace)
        namespace = make_namespace_absolute(prefix_namespace(previous, pushed))
        try:
            validate_namespace(namespace)
        except InvalidNamespaceException as error:
            raise SubstitutionFailure(
                "The resulting namespace is invalid: "
                f"[previous_namespace='{previous}', pushed_namespace='{pushed}']"
            ) from error
        context.launch_configurations["ros_namespace"] = namespace


class SetParameter(Action):
    """Gives the nodes a parameter."""

    def __init__(self, name: SomeSubstitutionsType, value: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        full_name = tuple(normalize_to_list_of_substitutions(name))
        self.__parameters = normalize_parameter_dict({full_name: value})

    def execute(self, context: LaunchContext) -> None:
        """Set the parameter."""
        parameters = evaluate_parameter_dict(context, self.__parameters)
        _append(context, "global_params", list(parameters.items()))


class SetParametersFromFile(Action):
    """Gives the nodes the parameters in a file."""

    def __init__(self, filename: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__filename = normalize_to_list_of_substitutions(filename)

    def execute(self, context: LaunchContext) -> None:
        """Set the file."""
        _append(context, "global_params", [perform_substitutions(context, self.__filename)])


class SetRemap(Action):
    """Gives the nodes a remapping rule."""

    def __init__(
        self, src: SomeSubstitutionsType, dst: SomeSubstitutionsType, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.__src = normalize_to_list_of_substitutions(src)
        self.__dst = normalize_to_list_of_substitutions(dst)

    def execute(self, context: LaunchContext) -> None:
        """Set the rule."""
        src = perform_substitutions(context, self.__src)
        dst = perform_substitutions(context, self.__dst)
        _append(context, "ros_remaps", [(src, dst)])
