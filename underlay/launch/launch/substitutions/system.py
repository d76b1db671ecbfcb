# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Substitutions that look at files and programs."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable

from ..launch_context import LaunchContext
from ..logging import get_logger
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions
from .substitution_failure import SubstitutionFailure


class PathJoinSubstitution(Substitution):
    """Path components joined by the path separator."""

    def __init__(self, substitutions: Iterable[SomeSubstitutionsType]) -> None:
        self.__substitutions = [normalize_to_list_of_substitutions(sub) for sub in substitutions]

    @property
    def substitutions(self) -> list[list[Substitution]]:
        """The path components."""
        return self.__substitutions

    def describe(self) -> str:
        """Return a readable form."""
        parts = [sub.describe() for part in self.__substitutions for sub in part]
        return f"PathJoin('{' + '.join(parts)}')"

    def perform(self, context: LaunchContext) -> str:
        """Return the path."""
        return os.path.join(
            *(perform_substitutions(context, part) for part in self.__substitutions)
        )


class FindExecutable(Substitution):
    """The path of a program found on PATH."""

    def __init__(self, *, name: SomeSubstitutionsType) -> None:
        self.__name = normalize_to_list_of_substitutions(name)

    def describe(self) -> str:
        """Return a readable form."""
        return f"FindExec({' + '.join(sub.describe() for sub in self.__name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the path; SubstitutionFailure if there is no such program."""
        name = perform_substitutions(context, self.__name)
        path = shutil.which(name)
        if path is None:
            raise SubstitutionFailure(f"executable '{name}' not found on the PATH")
        return path


class Command(Substitution):
    """What a command prints; on_stderr is 'fail', 'ignore', 'warn' or 'capture'."""

    def __init__(
        self, command: SomeSubstitutionsType, *, on_stderr: SomeSubstitutionsType = "fail"
    ) -> None:
        self.__command = normalize_to_list_of_substitutions(command)
        self.__on_stderr = normalize_to_list_of_substitutions(on_stderr)

    def describe(self) -> str:
        """Return a readable form."""
        return f"Command({' + '.join(sub.describe() for sub in self.__command)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the output; SubstitutionFailure if the command fails."""
        command = perform_substitutions(context, self.__command)
        on_stderr = perform_substitutions(context, self.__on_stderr)
        if on_stderr not in ("fail", "ignore", "warn", "capture"):
            raise SubstitutionFailure(
                "expected 'on_stderr' to be one of: 'fail', 'ignore', 'warn' or 'capture'"
            )
        stderr = subprocess.STDOUT if on_stderr == "capture" else subprocess.PIPE
        try:
            result = subprocess.run(
                shlex.split(command), stdout=subprocess.PIPE, stderr=stderr, text=True
            )
        except FileNotFoundError as error:
            raise SubstitutionFailure(f"file not found: {error}") from error
        if result.returncode != 0:
            raise SubstitutionFailure(
                f"executed command failed. Command: {command}\n{result.stderr or ''}"
            )
        if result.stderr and on_stderr in ("fail", "warn"):
            message = f"executed command showed stderr output: {command}\n{result.stderr}"
            if on_stderr == "fail":
                raise SubstitutionFailure(message)
            get_logger().warning(message)
        return result.stdout
