# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

PACKAGE = "pqc_testing"

setup(
    name=PACKAGE,
    version="0.2.0",
    packages=find_packages(exclude=["test"]),
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    zip_safe=True,
    maintainer="The PQC-MAV Authors",
    maintainer_email="maintainers@pqc-mav.example",
    description="Free ports, an isolated ROS graph and child processes, for tests and measurements",
    license="Apache-2.0",
    extras_require={"test": ["pytest"]},
)
