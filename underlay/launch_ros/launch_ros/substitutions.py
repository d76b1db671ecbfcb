# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Substitutions for folders and programs of ROS packages."""

from __future__ import annotations

import os
import shutil

from ament_index_python.packages import get_package_prefix, get_package_share_directory
from launch.launch_context import LaunchContext
from launch.substitutions import Substitution, SubstitutionFailure


class FindPackageShare(Substitution):
    """The share folder of a package."""

    def __init__(self, package: str) -> None:
        self.__package = package

    def describe(self) -> str:
        return f"FindPackageShare(pkg='{self.__package}')"

    def perform(self, context: LaunchContext) -> str:
        """Return the folder; PackageNotFoundError if the package is not installed."""
        return get_package_share_directory(self.__package)


class ExecutableInPackage(Substitution):
    """The path of a program that a package installs into lib/<package>."""

    def __init__(self, executable: str, package: str) -> None:
        self.__executable = executable
        self.__package = package

    def describe(self) -> str:
        return f"ExecInPkg(pkg='{self.__package}', exec='{self.__executable}')"

    def perform(self, context: LaunchContext) -> str:
        """Return the path; SubstitutionFailure if there is no such program."""
        package = self.__package
        prefix = get_package_prefix(package)
        folder = os.path.join(prefix, "lib", package)
        if not os.path.exists(folder):
            raise SubstitutionFailure(
                f"package '{package}' found at '{prefix}', "
                f"but libexec directory '{folder}' does not exist"
            )
        path = shutil.which(self.__executable, path=folder)
        if path is None:
            raise SubstitutionFailure(
                f"executable '{self.__executable}' not found on the libexec directory '{folder}' "
            )
        return path
