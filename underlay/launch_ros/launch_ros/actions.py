# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The action that starts a ROS node."""

from __future__ import annotations

import atexit
import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import yaml
from launch import logging
from launch.actions import ExecuteProcess
from launch.launch_context import LaunchContext
from launch.substitutions import SomeSubstitutionsType, Text
from rclpy.validate_namespace import validate_namespace
from rclpy.validate_node_name import validate_node_name

from .parameter_descriptions import evaluate_parameters
from .substitutions import ExecutableInPackage


class Node(ExecuteProcess):
    """Starts a program as a ROS node with name, namespace and parameters.

    Parameters are a list of files and dictionaries; later ones win. Takes the arguments of
    ExecuteProcess except cmd and name.
    """

    def __init__(
        self,
        *,
        package: str,
        executable: str,
        name: str | None = None,
        namespace: SomeSubstitutionsType | None = None,
        exec_name: str | None = None,
        parameters: Iterable[SomeSubstitutionsType | Mapping[str, Any]] = (),
        ros_arguments: Iterable[SomeSubstitutionsType] = (),
        **kwargs: Any,
    ) -> None:
        cmd: list[SomeSubstitutionsType] = [ExecutableInPackage(executable, package)]
        cmd += ["--ros-args", *ros_arguments, "--ros-args"]
        super().__init__(cmd=cmd, name=exec_name, **kwargs)
        self.__name = name
        self.__namespace = None if namespace is None else Text(namespace)
        self.__parameters = [
            item if isinstance(item, Mapping) else Text(item) for item in parameters
        ]

    def command(self, context: LaunchContext) -> list[str]:
        """Return the command line with name, namespace and parameters."""
        arguments = super().command(context)
        if self.__name is not None:
            validate_node_name(self.__name)
            arguments += ["-r", f"__node:={self.__name}"]
        namespace = None if self.__namespace is None else self.__namespace.perform(context)
        if namespace is not None:
            namespace = "/" + namespace.strip("/")
            validate_namespace(namespace)
            arguments += ["-r", f"__ns:={namespace}"]
        node = "/**"
        if self.__name is not None and namespace is not None:
            node = f"{namespace.rstrip('/')}/{self.__name}"
        for item in self.__parameters:
            if isinstance(item, Text):
                path = Path(item.perform(context))
                if not path.is_file():
                    logging.get_logger("launch_ros.actions.node").warning(
                        f"Parameter file path is not a file: {path}"
                    )
                    continue
            else:
                path = _write_file(node, evaluate_parameters(context, item))
            arguments += ["--params-file", str(path)]
        return arguments


def _write_file(node: str, parameters: dict[str, Any]) -> Path:
    with NamedTemporaryFile("w", prefix="launch_params_", delete=False) as file:
        yaml.safe_dump({node: {"ros__parameters": parameters}}, file, default_flow_style=False)
    path = Path(file.name)
    # The process may be respawned, so the file is needed for as long as launch runs.
    atexit.register(functools.partial(path.unlink, missing_ok=True))
    return path
