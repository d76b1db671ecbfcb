# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

PACKAGE = "pqc_sim"

setup(
    name=PACKAGE,
    version="0.2.0",
    packages=find_packages(exclude=["test"]),
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
        (f"share/{PACKAGE}/missions", ["missions/box.waypoints"]),
        (f"share/{PACKAGE}/launch", ["launch/demo.launch.py"]),
    ],
    install_requires=["setuptools"],
    zip_safe=True,
    maintainer="The PQC-MAV Authors",
    maintainer_email="maintainers@pqc-mav.example",
    description="A simulated vehicle, simulated flights, and the tunnel's demonstration",
    license="Apache-2.0",
    extras_require={"test": ["pytest"]},
    entry_points={
        "console_scripts": [
            "demo = pqc_sim.demo.demo_command:main",
            "ground_station = pqc_sim.demo.ground_station:main",
            "ground_tap = pqc_sim.demo.ground_tap:main",
            "record_flights = pqc_sim.flights.record_flights:main",
            "vehicle = pqc_sim.vehicle.vehicle_process:main",
        ]
    },
)
