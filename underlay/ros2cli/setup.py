# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

package_name = "ros2cli"

setup(
    name=package_name,
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    data_files=[
        (
            "share/ament_index/resource_index/packages",
            [f"resource/{package_name}", "resource/ros2bag"],
        ),
        (f"share/{package_name}", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    zip_safe=True,
    maintainer="The PQC-MAV Authors",
    maintainer_email="maintainers@pqc-mav.example",
    description="The ros2 command with the verbs that this workspace uses.",
    license="Apache-2.0",
    extras_require={"test": ["pytest"]},
    entry_points={"console_scripts": ["ros2 = ros2cli.cli:main"]},
)
