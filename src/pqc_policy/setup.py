# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

from setuptools import find_packages, setup

PACKAGE = "pqc_policy"
FLIGHTS = [
    (f"share/{PACKAGE}/{folder}", [str(file) for file in sorted(folder.iterdir())])
    for folder in sorted(Path("flights").iterdir())
]
MODELS = [
    (f"share/{PACKAGE}/{folder}", [str(file) for file in sorted(folder.iterdir())])
    for folder in sorted(Path("models").glob("*/"))
]

setup(
    name=PACKAGE,
    version="0.2.0",
    packages=find_packages(exclude=["test"]),
    package_data={f"{PACKAGE}.policy.profiles": ["*.json"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
        *FLIGHTS,
        *MODELS,
    ],
    install_requires=["setuptools"],
    zip_safe=True,
    maintainer="The PQC-MAV Authors",
    maintainer_email="maintainers@pqc-mav.example",
    description="Which cipher suite a drone should fly with, decided from what it senses",
    license="Apache-2.0",
    extras_require={"test": ["pytest"]},
    entry_points={
        "console_scripts": [
            "advisor_node = pqc_policy.nodes.entry_points:advisor_node",
            "check = pqc_policy.replay.check_command:main",
            "drone_messenger_node = pqc_policy.nodes.entry_points:drone_messenger_node",
            "drone_nodes = pqc_policy.nodes.entry_points:drone_nodes",
            "ground_messenger_node = pqc_policy.nodes.entry_points:ground_messenger_node",
            "policy_node = pqc_policy.nodes.entry_points:policy_node",
            "replay = pqc_policy.replay.replay_command:main",
            "sensing_node = pqc_policy.nodes.entry_points:sensing_node",
        ],
        "pqc_policy.detectors": [
            "baseline = pqc_policy.sensing.detectors.baseline_detector:BaselineDetector",
            "counters = pqc_policy.sensing.detectors.heuristic:Counters",
            "heuristic = pqc_policy.sensing.detectors.heuristic:Heuristic",
        ],
    },
)
