# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Substitutions that find things in ROS packages."""

from __future__ import annotations

import os
import shutil

from ament_index_python.packages import get_package_prefix, get_package_share_directory
from launch.frontend import expose_substitution
from launch.launch_context import LaunchContext
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitution import Substitution
from launch.substitutions import SubstitutionFailure
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions

__all__ = [
    "ExecutableInPackage",
    "FindPackage",
    "FindPackagePrefix",
    "FindPackageShare",
]


class FindPackage(Substitution):
    """Base: a folder of a package; PackageNotFoundError if it is not installed."""

    def __init__(self, package: SomeSubstitutionsType) -> None:
        super().__init__()
        self.__package = normalize_to_list_of_substitutions(package)

    @property
    def package(self) -> list[Substitution]:
        """The package's name."""
        return self.__package

    def find(self, package_name: str) -> str:
        """Return the folder."""
        raise NotImplementedError(f"{type(self).__name__} must define find()")

    def describe(self) -> str:
        """Return a readable form."""
        return f"{type(self).__name__}(pkg={' + '.join(sub.describe() for sub in self.package)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the folder."""
        return self.find(perform_substitutions(context, self.package))


class FindPackagePrefix(FindPackage):
    """The install prefix of a package."""

    def find(self, package_name: str) -> str:
        """Return the prefix."""
        return get_package_prefix(package_name)


class FindPackageShare(FindPackage):
    """The share folder of a package."""

    def find(self, package_name: str) -> str:
        """Return the share folder."""
        return get_package_share_directory(package_name)


class ExecutableInPackage(FindPackagePrefix):
    """The path of a program that a package installs into lib/<package>."""

    def __init__(self, executable: SomeSubstitutionsType, package: SomeSubstitutionsType) -> None:
        super().__init__(package)
        self.__executable = normalize_to_list_of_substitutions(executable)

    @property
    def executable(self) -> list[Substitution]:
        """The program's name."""
        return self.__executable

    def describe(self) -> str:
        """Return a readable form."""
        package = " + ".join(sub.describe() for sub in self.package)
        executable = " + ".join(sub.describe() for sub in self.executable)
        return f"ExecInPkg(pkg={package}, exec={executable})"

    def perform(self, context: LaunchContext) -> str:
        """Return the path; SubstitutionFailure if there is no such program."""
        executable = perform_substitutions(context, self.executable)
        package = perform_substitutions(context, self.package)
        prefix = super().perform(context)
        folder = os.path.join(prefix, "lib", package)
        if not os.path.exists(folder):
            raise SubstitutionFailure(
                f"package '{package}' found at '{prefix}', "
                f"but libexec directory '{folder}' does not exist"
            )
        path = shutil.which(executable, path=folder)
        if path is None:
            raise SubstitutionFailure(
                f"executable '{executable}' not found on the libexec directory '{folder}' "
            )
        return path


expose_substitution("find-pkg-prefix", FindPackagePrefix)
expose_substitution("find-pkg-share", FindPackageShare)
expose_substitution(
    "exec-in-pkg", lambda executable, package: ExecutableInPackage(executable, package)
)
