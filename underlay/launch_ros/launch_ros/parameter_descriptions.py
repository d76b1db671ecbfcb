# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Ways to give a node its parameters."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import yaml
from launch.frontend.parse_substitution import parse_substitution
from launch.launch_context import LaunchContext
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitutions import SubstitutionFailure
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions
from launch.utilities.type_utils import normalize_typed_substitution, perform_typed_substitution


class ParameterValue:
    """A value whose type is given, so that text such as '1' stays text."""

    def __init__(self, value: Any, *, value_type: Any = None) -> None:
        self.__value = normalize_typed_substitution(value, value_type)
        self.__value_type = value_type

    @property
    def value(self) -> Any:
        """The value, or the substitutions that give it."""
        return self.__value

    @property
    def value_type(self) -> Any:
        """The type, or None if YAML decides."""
        return self.__value_type

    def evaluate(self, context: LaunchContext) -> Any:
        """Return the value; ValueError if it is not of the type."""
        return perform_typed_substitution(context, self.__value, self.__value_type)


class Parameter:
    """One parameter, given to the node on its command line."""

    def __init__(self, name: SomeSubstitutionsType, value: Any, *, value_type: Any = None) -> None:
        self.__name = normalize_to_list_of_substitutions(name)
        self.__value = ParameterValue(value, value_type=value_type)

    def evaluate(self, context: LaunchContext) -> tuple[str, Any]:
        """Return name and value."""
        return perform_substitutions(context, self.__name), self.__value.evaluate(context)


class ParameterFile:
    """A parameter file; with allow_substs, text such as '$(var name)' in it is replaced."""

    def __init__(
        self,
        param_file: SomeSubstitutionsType | os.PathLike[str],
        *,
        allow_substs: bool | SomeSubstitutionsType = False,
    ) -> None:
        self.__temporary: Path | None = None
        if isinstance(param_file, os.PathLike):
            param_file = os.fspath(param_file)
        self.__param_file = normalize_to_list_of_substitutions(param_file)
        self.__allow_substs = normalize_typed_substitution(allow_substs, bool)

    def evaluate(self, context: LaunchContext) -> Path:
        """Return the path of the file, or of a copy with all substitutions replaced."""
        path = Path(perform_substitutions(context, self.__param_file))
        if not perform_typed_substitution(context, self.__allow_substs, bool):
            return path
        text = perform_substitutions(context, parse_substitution(path.read_text()))
        try:
            yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise SubstitutionFailure(
                f"The substituted parameter file is not a valid yaml file: {error}"
            ) from error
        with NamedTemporaryFile("w", prefix="launch_params_", delete=False) as file:
            file.write(text)
        self.__temporary = Path(file.name)
        return self.__temporary

    def cleanup(self) -> None:
        """Remove the copy."""
        if self.__temporary is not None:
            self.__temporary.unlink(missing_ok=True)

    def __del__(self) -> None:
        """Remove the copy."""
        self.cleanup()
