# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The action that starts a ROS node."""

from __future__ import annotations

import atexit
import functools
import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import yaml
from launch import logging
from launch.actions import ExecuteProcess
from launch.launch_context import LaunchContext
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions
from rclpy.validate_namespace import validate_namespace
from rclpy.validate_node_name import validate_node_name

from ..parameter_descriptions import Parameter, ParameterFile
from ..substitutions import ExecutableInPackage
from ..utilities import (
    evaluate_parameter_dict,
    make_namespace_absolute,
    normalize_parameters,
    prefix_namespace,
)

_node_counts = "unique_ros_node_names"


class Node(ExecuteProcess):
    """Starts a program as a ROS node with name, namespace, parameters and remappings.

    Without a package the executable is a path or is looked up on PATH. Parameters are a list of
    files, ParameterFile, Parameter and dictionaries; later ones win. Takes all that ExecuteProcess
    takes except cmd and name.
    """

    UNSPECIFIED_NODE_NAME = "<node_name_unspecified>"
    UNSPECIFIED_NODE_NAMESPACE = "<node_namespace_unspecified>"

    def __init__(
        self,
        *,
        executable: SomeSubstitutionsType,
        package: SomeSubstitutionsType | None = None,
        name: SomeSubstitutionsType | None = None,
        namespace: SomeSubstitutionsType | None = None,
        exec_name: SomeSubstitutionsType | None = None,
        parameters: list[Any] | None = None,
        remappings: Iterable[tuple[SomeSubstitutionsType, SomeSubstitutionsType]] | None = None,
        ros_arguments: Iterable[SomeSubstitutionsType] | None = None,
        arguments: Iterable[SomeSubstitutionsType] | None = None,
        **kwargs: Any,
    ) -> None:
        program = executable if package is None else ExecutableInPackage(executable, package)
        cmd: list[SomeSubstitutionsType] = [program, *(arguments or ())]
        if ros_arguments is not None:
            cmd += ["--ros-args", *ros_arguments]
        cmd.append("--ros-args")
        super().__init__(cmd=cmd, name=exec_name, **kwargs)
        self.__package = package
        self.__executable = executable
        self.__name = None if name is None else normalize_to_list_of_substitutions(name)
        self.__namespace = (
            None if namespace is None else normalize_to_list_of_substitutions(namespace)
        )
        self.__parameters = normalize_parameters(parameters or [])
        self.__remappings = [
            (normalize_to_list_of_substitutions(src), normalize_to_list_of_substitutions(dst))
            for src, dst in remappings or ()
        ]
        self.__node_name: str | None = None
        self.__node_namespace: str | None = None
        self.__fully_named = False

    @property
    def node_package(self) -> SomeSubstitutionsType | None:
        """The package."""
        return self.__package

    @property
    def node_executable(self) -> SomeSubstitutionsType:
        """The program."""
        return self.__executable

    @property
    def node_name(self) -> str:
        """The node's name with its namespace; RuntimeError before the action is executed."""
        if self.__node_name is None:
            raise RuntimeError("cannot access 'node_name' before executing action")
        return self.__node_name

    @property
    def expanded_node_namespace(self) -> str | None:
        """The namespace once the action is executed."""
        return self.__node_namespace

    def is_node_name_fully_specified(self) -> bool:
        """Return whether both name and namespace are known."""
        return self.__fully_named

    def execute(self, context: LaunchContext) -> None:
        """Complete the command line and begin to start the process."""
        if self.__node_name is None:
            for argument in (
                *self.__name_arguments(context),
                *self.__parameter_arguments(context),
                *self.__remapping_arguments(context),
            ):
                self.cmd.append(normalize_to_list_of_substitutions(argument))
        super().execute(context)
        if self.__fully_named:
            self.__warn_about_duplicates(context)

    def __name_arguments(self, context: LaunchContext) -> list[str]:
        arguments = []
        name = self.UNSPECIFIED_NODE_NAME
        if self.__name is not None:
            name = perform_substitutions(context, self.__name)
            validate_node_name(name)
            arguments += ["-r", f"__node:={name}"]
        own = None if self.__namespace is None else perform_substitutions(context, self.__namespace)
        base = context.launch_configurations.get("ros_namespace")
        namespace = make_namespace_absolute(prefix_namespace(base, own))
        if namespace is None:
            self.__node_namespace = self.UNSPECIFIED_NODE_NAMESPACE
        else:
            validate_namespace(namespace)
            self.__node_namespace = namespace
            arguments += ["-r", f"__ns:={namespace}"]
        self.__fully_named = self.__name is not None and namespace is not None
        self.__node_name = prefix_namespace(self.__node_namespace, name)
        return arguments

    def __parameter_arguments(self, context: LaunchContext) -> list[str]:
        arguments = []
        for item in context.launch_configurations.get("global_params", []):
            if isinstance(item, tuple):
                arguments += ["-p", f"{item[0]}:={_yaml_of(item[1])}"]
            else:
                arguments += ["--params-file", os.path.abspath(item)]
        for item in self.__parameters:
            if isinstance(item, Parameter):
                name, value = item.evaluate(context)
                arguments += ["-p", f"{name}:={_yaml_of(value)}"]
                continue
            if isinstance(item, ParameterFile):
                path = item.evaluate(context)
            else:
                path = self.__write_file(evaluate_parameter_dict(context, item))
            if not path.is_file():
                logging.get_logger("launch_ros.actions.node").warning(
                    f"Parameter file path is not a file: {path}"
                )
                continue
            arguments += ["--params-file", str(path)]
        return arguments

    def __write_file(self, parameters: dict[str, Any]) -> Path:
        node = self.node_name if self.__fully_named else "/**"
        with NamedTemporaryFile("w", prefix="launch_params_", delete=False) as file:
            yaml.safe_dump({node: {"ros__parameters": parameters}}, file, default_flow_style=False)
        path = Path(file.name)
        # The process may be respawned, so the file is needed for as long as launch runs.
        atexit.register(functools.partial(path.unlink, missing_ok=True))
        return path

    def __remapping_arguments(self, context: LaunchContext) -> list[str]:
        rules = list(context.launch_configurations.get("ros_remaps", []))
        rules += [
            (perform_substitutions(context, src), perform_substitutions(context, dst))
            for src, dst in self.__remappings
        ]
        return [argument for src, dst in rules for argument in ("-r", f"{src}:={dst}")]

    def __warn_about_duplicates(self, context: LaunchContext) -> None:
        counts = dict(context.get_locals_as_dict().get(_node_counts, {}))
        count = counts[self.node_name] = counts.get(self.node_name, 0) + 1
        context.extend_globals({_node_counts: counts})
        if count > 1:
            logging.get_logger(self.name).warning(
                f"there are now at least {count} nodes with the name {self.node_name} "
                "created within this launch context"
            )


def _yaml_of(value: Any) -> str:
    """Return the value as YAML on one line, so that text stays text."""
    text = yaml.safe_dump(value, default_flow_style=True, width=2**31)
    return text.removesuffix("\n").removesuffix("\n...")
