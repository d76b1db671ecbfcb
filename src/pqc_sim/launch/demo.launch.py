# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Both ends on one machine: vehicle, drone's tunnel, ground's tunnel, tap and ground program.

    vehicle <-> /pqc/tunnel <== encrypted ==> /gcs/pqc/tunnel <-> ground_tap <-> ground_station

With policy:=true sensing, advisor and policy fly with the drone; they read temperatures below
sys_root, and battery and state from the tunnel's mirror. With link:=NAME the encrypted side goes
through pqc_link_emulator with that profile; with links:=lte+radio it has several links.
It ends when the ground program does: the vehicle stops sending, and the tunnels stop once all
datagrams have arrived, so that the counts of both ends can be compared.
"""

from __future__ import annotations

import tempfile
from dataclasses import fields
from pathlib import Path
from signal import SIGINT
from typing import Any

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    ExecuteProcess,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
    TimerAction,
)
from launch.event_handlers import OnProcessExit
from launch.events import matches_action
from launch.events.process import SignalProcess
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage, FindPackageShare
from pqc_policy.policy.suites import DEFAULT_SUITE
from pqc_sim.pair.link_emulator import NO_LINK, link_profile
from pqc_sim.pair.links import LinkEnds, end_parameters, lay_links, parse_links
from pqc_sim.pair.parameters import drone_parameters, gcs_parameters
from pqc_sim.pair.ports import Ports
from pqc_sim.pair.programs import tool_program
from pqc_tunnel.launch_parts import included, shipped

PACKAGE = "pqc_sim"
ADDRESS = "127.0.0.1"
# The tunnels publish their counts once a second.
_LAST_COUNTS_S = 1.5
# Both ends may use every suite, and no control socket takes the name of another tunnel.
BOTH_ENDS = {"min_level": 1, "control_name": ""}

ARGUMENTS = (
    ("drone_identity_dir", None, "Folder with the drone's keys, made by `pqc identity`."),
    ("gcs_identity_dir", None, "Folder with the ground station's keys."),
    ("suite", DEFAULT_SUITE, "Id of the suite of the first handshake."),
    ("rate", "320", "Telemetry messages per second."),
    ("charge", "100", "Charge of the vehicle's battery in %."),
    ("capacity", "5200", "Capacity of the vehicle's battery in mAh."),
    ("hold", "false", "Whether the vehicle stays silent until it gets SIGUSR1."),
    ("summary_dir", "", "Folder for vehicle.json, tap.json and ground.json; empty: none."),
    ("drone_plaintext_port", "14590", "UDP port where the vehicle's MAVLink enters the tunnel."),
    ("gcs_plaintext_port", "14551", "UDP port where the ground's MAVLink enters the tunnel."),
    ("tap_port", "14552", "UDP port of the counting tap, where MAVLink leaves the tunnel."),
    ("ground_port", "14550", "UDP port that the ground program listens on."),
    ("drone_datagram_port", "46011", "UDP port of the drone's encrypted side."),
    ("gcs_datagram_port", "46012", "UDP port of the ground's encrypted side."),
    ("link", "none", "Link between the ends: none, an installed profile, or a file."),
    ("links", "", "Several emulated links, such as lte+radio; empty: one, see link."),
    ("schedule", "failover", "How several links are used: failover or redundant."),
    ("link_seed", "1", "Seed of the losses on the link."),
    ("link_datagram_port", "46022", "UDP port of the emulated link, in place of the ground's."),
    ("policy", "false", "Whether sensing, advisor and policy fly with the drone."),
    ("sys_root", "/sys", "Where sensing reads temperatures and power."),
    ("mirror_port", "14595", "UDP port where sensing reads MAVLink from the drone's tunnel."),
    ("respawn", "false", "Whether a tunnel that has ended is restarted."),
    ("log_level", "info", "Log level of the tunnel nodes."),
)
SWITCHES = ("hold", "policy", "respawn")


def declare_arguments() -> list[LaunchDescriptionEntity]:
    choices = {name: ["true", "false"] for name in SWITCHES}
    return [
        DeclareLaunchArgument(
            name, default_value=default, description=text, choices=choices.get(name)
        )
        for name, default, text in ARGUMENTS
    ]


class Values:
    def __init__(self, context: LaunchContext) -> None:
        self._values = {
            name: LaunchConfiguration(name).perform(context) for name, _, _ in ARGUMENTS
        }

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def port(self, name: str) -> int:
        """Return a port, or fail with one sentence."""
        text = self[name]
        if not text.isdigit() or not 0 < int(text) < 65536:
            raise RuntimeError(f"{name}:={text} is not a port from 1 to 65535.")
        return int(text)

    def at(self, name: str) -> str:
        return f"{ADDRESS}:{self.port(name)}"


def laid_links(values: Values) -> tuple[LinkEnds, ...]:
    """Return the ends of several links, if they are asked for."""
    if not values["links"]:
        return ()
    folder = Path(values["summary_dir"] or tempfile.mkdtemp(prefix="pqc-links-"))
    names = ("drone_datagram_port", "gcs_datagram_port", "link_datagram_port")
    drone, ground, emulator = (values.port(name) for name in names)
    return lay_links(parse_links(values["links"]), folder, first_udp=(drone, ground, emulator))


def tunnels(values: Values, links: tuple[LinkEnds, ...]) -> list[Node]:
    """Return both tunnel nodes, with the parameters that the files leave open."""
    # The vehicle takes a free port; the ground tunnel's application is the tap.
    named = [field.name for field in fields(Ports) if not field.name.endswith("_application")]
    given = {name: values.port(f"{name}_port") for name in named}
    ports = Ports(**given, drone_application=0, ground_application=values.port("tap_port"))
    drone_keys, gcs_keys = values["drone_identity_dir"], values["gcs_identity_dir"]
    drone = {
        **drone_parameters(ports, Path(drone_keys), emulated_link=values["link"] != NO_LINK),
        **BOTH_ENDS,
        **end_parameters(links, "drone", values["schedule"]),
        "identity_dir": text(drone_keys),
        "suite": text(values["suite"]),
        "mirror_port": values.port("mirror_port") if values["policy"] == "true" else 0,
    }
    ground = {
        **gcs_parameters(ports, Path(gcs_keys)),
        **BOTH_ENDS,
        **end_parameters(links, "gcs", values["schedule"]),
        "identity_dir": text(gcs_keys),
    }
    if_it_ends: dict[str, Any] = {"on_exit": Shutdown(reason="a tunnel has ended")}
    if values["respawn"] == "true":
        if_it_ends = {"respawn": True, "respawn_delay": 1.0}
    return [
        Node(
            package="pqc_tunnel",
            executable="tunnel_node",
            exec_name="tunnel_node",  # not that of the prefix which environment.launch.py sets
            name="tunnel",
            namespace=namespace,
            parameters=[
                shipped(file),
                parameters,
            ],
            ros_arguments=["--log-level", values["log_level"]],
            output="screen",
            **if_it_ends,
        )
        for namespace, file, parameters in (
            ("gcs/pqc", "gcs.yaml", ground),
            ("pqc", "drone.yaml", drone),
        )
    ]


def link_emulators(values: Values, links: tuple[LinkEnds, ...]) -> list[ExecuteProcess]:
    if links:
        return [
            link_emulator(
                values, ends.link.profile, f"link-{ends.link.name}.json", ends.emulator_arguments()
            )
            for ends in links
        ]
    profile = link_profile(values["link"])
    if profile is None:
        return []
    listen, forward = values.at("link_datagram_port"), values.at("gcs_datagram_port")
    ends = ["--udp-listen", listen, "--udp-forward", forward]
    return [link_emulator(values, profile, "link.json", ends)]


def link_emulator(values: Values, profile: Path, summary: str, ends: list[str]) -> ExecuteProcess:
    name = "pqc_link_emulator"
    options = ["--profile", str(profile), "--seed", values["link_seed"], *ends]
    return program(values, name, summary, *options, path=tool_program(name))


def text(value: str) -> ParameterValue:
    """Return a parameter that stays text, whatever it looks like."""
    return ParameterValue(value, value_type=str)


def program(
    values: Values, name: str, summary: str, *arguments: str, path: Path | None = None
) -> ExecuteProcess:
    folder = values["summary_dir"]
    executable = ExecutableInPackage(package=PACKAGE, executable=name)
    return ExecuteProcess(
        cmd=[
            executable if path is None else str(path),
            *arguments,
            *(["--summary", f"{folder}/{summary}"] if folder else []),
        ],
        name=name,
        output="screen",
    )


def vehicle(values: Values) -> ExecuteProcess:
    arguments = ["--bind", f"{ADDRESS}:0", "--tunnel", values.at("drone_plaintext_port")]
    arguments += ["--rate", values["rate"]]
    arguments += ["--charge", values["charge"], "--capacity", values["capacity"]]
    if values["hold"] == "true":
        arguments.append("--hold")
    return program(values, "vehicle", "vehicle.json", *arguments)


def policy(values: Values) -> list[LaunchDescriptionEntity]:
    """Return sensing, advisor and policy, if they are asked for."""
    return [included("policy.launch.py")] if values["policy"] == "true" else []


def ground_tap(values: Values) -> ExecuteProcess:
    """Return the counting relay between the ground's tunnel and the ground program."""
    return program(
        values,
        "ground_tap",
        "tap.json",
        *("--bind", values.at("tap_port")),
        *("--tunnel", values.at("gcs_plaintext_port")),
        *("--ground-bind", f"{ADDRESS}:0"),
        *("--ground", values.at("ground_port")),
    )


def ground_station(values: Values, mission: str) -> ExecuteProcess:
    """Return the ground program: MAVProxy without a terminal."""
    arguments = ["--listen", values.at("ground_port"), "--mission", mission, "--fly"]
    return program(values, "ground_station", "ground.json", *arguments)


def start_all(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    values = Values(context)
    share = FindPackageShare(PACKAGE).perform(context)
    copter = vehicle(values)
    tap = ground_tap(values)
    station = ground_station(values, f"{share}/missions/box.waypoints")
    end: list[LaunchDescriptionEntity] = [Shutdown(reason="the vehicle has ended")]
    between: list[LaunchDescriptionEntity] = []
    links = laid_links(values)
    if emulators := link_emulators(values, links):
        for link in emulators:
            ended = Shutdown(reason="the emulated link has ended")
            handler = OnProcessExit(target_action=link, on_exit=[ended])
            between += [RegisterEventHandler(handler), link]
        # Before the tunnels: datagrams that it passed on still arrive, its counts have the others.
        end = [interrupt(link) for link in emulators]
        if links:  # First the tunnels send what waits for a thin link, and publish their counts.
            end = [TimerAction(period=_LAST_COUNTS_S, actions=end)]
    return [
        RegisterEventHandler(OnProcessExit(target_action=station, on_exit=[interrupt(copter)])),
        RegisterEventHandler(OnProcessExit(target_action=copter, on_exit=end)),
        *between,
        *tunnels(values, links),
        *policy(values),
        tap,
        station,
        copter,
    ]


def interrupt(process: ExecuteProcess) -> EmitEvent:
    """Return the action that asks a process to end."""
    return EmitEvent(
        event=SignalProcess(signal_number=SIGINT, process_matcher=matches_action(process))
    )


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declare_arguments(),
            included("environment.launch.py"),
            OpaqueFunction(function=start_all),
        ]
    )
