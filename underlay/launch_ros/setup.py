# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

package_name = "launch_ros"

setup(
    name=package_name,
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    zip_safe=True,
    maintainer="The PQC-MAV Authors",
    maintainer_email="maintainers@pqc-mav.example",
    description="The part of the ROS 2 launch_ros API that this workspace calls.",
    license="Apache-2.0",
    extras_require={"test": ["pytest"]},
)
