# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

PACKAGE = "pqc_bench"

setup(
    name=PACKAGE,
    version="0.2.0",
    packages=find_packages(exclude=["test"]),
    package_data={
        f"{PACKAGE}.metrics": ["*.json"],
        f"{PACKAGE}.report": ["page.css", "page.js", "seeds/*.json"],
    },
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
        (f"share/{PACKAGE}/launch", ["launch/session.launch.py"]),
    ],
    install_requires=["setuptools"],
    zip_safe=True,
    maintainer="The PQC-MAV Authors",
    maintainer_email="maintainers@pqc-mav.example",
    description="Measures the tunnel, and tries to break it",
    license="Apache-2.0",
    extras_require={"test": ["pytest"]},
    entry_points={
        "console_scripts": [
            "bench = pqc_bench.bench_command:main",
        ]
    },
)
