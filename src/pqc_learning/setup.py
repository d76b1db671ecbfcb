# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from glob import glob

from setuptools import find_packages, setup

PACKAGE = "pqc_learning"

setup(
    name=PACKAGE,
    version="0.2.0",
    packages=find_packages(exclude=["test"]),
    package_data={
        f"{PACKAGE}.agent": ["*.json"],
        f"{PACKAGE}.closed_loop.profiles": ["*.json"],
    },
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
        (f"share/{PACKAGE}/recordings", glob("recordings/*.json")),
        (f"share/{PACKAGE}/models/transformer", glob("models/transformer/*")),
    ],
    install_requires=["setuptools"],
    zip_safe=True,
    maintainer="The PQC-MAV Authors",
    maintainer_email="maintainers@pqc-mav.example",
    description="What learns: data, training, strategies, and the judgement of all",
    license="Apache-2.0",
    extras_require={"test": ["pytest"]},
    entry_points={
        "pqc_policy.models": ["transformer = pqc_learning.transformer:Transformer"],
        "pqc_policy.strategies": [
            "hybrid = pqc_learning.agent.shipped:hybrid",
            "rl = pqc_learning.agent.shipped:rl",
        ],
    },
)
