# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One cell of the benchmark matrix: both ends, a load, a scenario, a link and a bag.

    load <-> /pqc/tunnel <== encrypted, through the link ==> /gcs/pqc/tunnel <-> load

The tunnels are started by the launch files for users, after every other program has printed a
line. No process changes the suite: with policy:=advise the policy publishes decisions, which are
only recorded. The load takes commands from the cell run, and the launch ends with it. The folder
`out` holds parameters.yaml, bag/, load.json, link.json and scenario.json.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import (
    DeclareLaunchArgument,
    ExecuteProcess,
    GroupAction,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
    TimerAction,
)
from launch.event_handlers import OnProcessExit, OnProcessIO
from launch.events.process import ProcessExited, ProcessIO
from launch.substitutions import LaunchConfiguration
from pqc_bench.cell.cell import BLASTER_SIZE, CLEAN, OFF, RATES, link_profile
from pqc_bench.cell.parameters import PARAMETERS_FILE, session_parameters, write_parameters
from pqc_bench.cell.scenario import SCENARIO_FILE, scenario_command
from pqc_policy.policy.suites import DEFAULT_SUITE
from pqc_sim.pair.ports import Ports
from pqc_sim.pair.programs import tool_program
from pqc_sim.processes.run_fault import RunFault
from pqc_tunnel.launch_parts import included

ADDRESS = "127.0.0.1"
DETECTOR = "detector"
POLICY = "drone_nodes"
RECORDER = "record"
TRAFFIC = "traffic"
TUNNEL = "tunnel_node"
# The drone starts after this time even without output of the ground station: it retries anyway.
LISTENS_S = 3.0
TOPICS = "^/(gcs/)?pqc/(status|link|events|suites|decision|power)$|^/diagnostics$"
PORTS = (
    ("drone_plaintext", "14590", "UDP port where the drone's load enters the tunnel."),
    ("gcs_plaintext", "14551", "UDP port where the ground's load enters the tunnel."),
    ("drone_application", "14591", "UDP port of the load at the drone."),
    ("ground_application", "14550", "UDP port of the load on the ground."),
    ("drone_datagram", "46011", "UDP port of the drone's encrypted side."),
    ("gcs_datagram", "46012", "UDP port of the ground's encrypted side."),
    ("link_datagram", "46022", "UDP port of the emulated link, in place of the ground's."),
)
ARGUMENTS = (
    ("keys", None, "Folder made by `pqc identity`, with gcs and drone1 in it."),
    ("out", None, "Folder for the files of the session."),
    ("suite", DEFAULT_SUITE, "Id of the suite."),
    ("scenario", "baseline", "Beside the tunnel: baseline (nothing), light, heavy, or a stand-in."),
    (
        "scenario_command",
        "",
        "Its program, run with --summary FILE, trees, or transformer; empty: the usual one.",
    ),
    ("warm_up", "20", "Seconds after which a program without output is assumed to be running."),
    ("load", "mavlink", "Traffic through the tunnel: mavlink, mavproxy or blaster."),
    ("vehicle", "", "Device or command of a vehicle, for mavlink and mavproxy; empty: simulated."),
    ("link", CLEAN, "Link between the ends: clean, an installed profile, or a file."),
    ("policy", OFF, "Policy: off, or advise (only recorded)."),
    ("link_seed", "1", "Seed of the link: equal seeds treat equal packets equally."),
    ("control", None, "UNIX socket of the cell run."),
    ("log_level", "info", "Log level of the tunnel nodes."),
    *((f"{name}_port", default, description) for name, default, description in PORTS),
)


class Values:
    def __init__(self, context: LaunchContext) -> None:
        self._values = {
            name: LaunchConfiguration(name).perform(context) for name, _, _ in ARGUMENTS
        }
        self.out = Path(self["out"]).absolute()
        self.ports = Ports(**{name: self._port(f"{name}_port") for name, _, _ in PORTS})

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def _port(self, name: str) -> int:
        text = self[name]
        if not text.isdigit() or not 0 < int(text) < 65536:
            raise RuntimeError(f"{name}:={text} is not a port from 1 to 65535.")
        return int(text)


def at(port: int) -> str:
    return f"{ADDRESS}:{port}"


def part(values: Values, name: str, **arguments: str) -> LaunchDescriptionEntity:
    """Return a launch file for users, in a scope of its own since argument names repeat."""
    given = {"log_level": values["log_level"], **arguments}
    return GroupAction([included(f"{name}.launch.py", launch_arguments=given.items())])


def tunnels(values: Values) -> list[LaunchDescriptionEntity]:
    """Return the ground's end and, after its first line of output, the drone's."""
    file = str(values.out / PARAMETERS_FILE)
    drone = part(values, "drone", namespace="pqc", params_file=file, policy="false")
    return [
        *after_output([TUNNEL], LISTENS_S, [drone]),
        part(values, "gcs", namespace="gcs/pqc", params_file=file),
    ]


def policy(values: Values) -> list[LaunchDescriptionEntity]:
    """Return the policy by itself, so that it can start before the drone's tunnel."""
    if values["policy"] == OFF:
        return []
    file = str(values.out / PARAMETERS_FILE)
    return [part(values, "policy", namespace="pqc", policy_params_file=file)]


def link_emulator(values: Values, profile: Path) -> ExecuteProcess:
    ports = values.ports
    return ExecuteProcess(
        cmd=[
            str(tool_program("pqc_link_emulator")),
            *("--profile", str(profile), "--seed", values["link_seed"]),
            *("--summary", str(values.out / "link.json")),
            *("--udp-listen", at(ports.link_datagram), "--udp-forward", at(ports.gcs_datagram)),
        ],
        name="link",
        output="screen",
    )


def detector(values: Values, command: list[str]) -> ExecuteProcess:
    command = [*command, "--summary", str(values.out / SCENARIO_FILE)]
    return ExecuteProcess(cmd=command, name=DETECTOR, output="screen")


def traffic(values: Values) -> ExecuteProcess:
    ports = values.ports
    load = values["load"]
    if load not in RATES:
        raise RuntimeError(f"load:={load} is not one of {', '.join(RATES)}.")
    return ExecuteProcess(
        cmd=[
            *(sys.executable, "-m", "pqc_bench.cell.traffic", "--load", load),
            *("--drone", at(ports.drone_plaintext), "--ground", at(ports.gcs_plaintext)),
            *("--drone-bind", at(ports.drone_application)),
            *("--ground-bind", at(ports.ground_application)),
            *("--rate", str(RATES[load]), "--size", str(BLASTER_SIZE)),
            *("--report", str(values.out / "load.json"), "--control", values["control"]),
            *(["--vehicle", values["vehicle"]] if values["vehicle"] else []),
        ],
        name=TRAFFIC,
        output="screen",
    )


def recorder(values: Values) -> ExecuteProcess:
    """Return the recorder; it needs time after SIGINT to finish the bag."""
    return ExecuteProcess(
        cmd=[
            *("ros2", "bag", "record", "--storage", "mcap"),
            *("--output", str(values.out / "bag"), "--regex", TOPICS),
        ],
        name=RECORDER,
        sigterm_timeout="30",
        output="screen",
    )


def after_output(
    programs: Collection[str], seconds: float, entities: list[LaunchDescriptionEntity]
) -> list[LaunchDescriptionEntity]:
    """Return actions that start entities after a line of each program, or after a time."""
    silent = set(programs)
    waiting = [entities]

    def go() -> list[LaunchDescriptionEntity]:
        return waiting.pop() if waiting else []

    def follow(event: ProcessIO) -> list[LaunchDescriptionEntity]:
        silent.difference_update({name for name in silent if event.process_name.startswith(name)})
        return [] if silent else go()

    return [
        RegisterEventHandler(OnProcessIO(on_stdout=follow, on_stderr=follow)),
        TimerAction(period=seconds, actions=[OpaqueFunction(function=lambda _: go())]),
    ]


def end_session(event: ProcessExited, _: LaunchContext) -> Shutdown:
    """Return the shutdown of the session, which needs all of its processes."""
    return Shutdown(reason=f"{event.process_name} has ended")


def start_all(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    values = Values(context)
    values.out.mkdir(parents=True, exist_ok=True)
    try:
        profile = link_profile(values["link"])
        beside = scenario_command(values["scenario"], values["scenario_command"])
        parameters = session_parameters(
            values["suite"],
            values.ports,
            Path(values["keys"]),
            emulated_link=profile is not None,
            policy=values["policy"],
        )
    except RunFault as fault:
        raise RuntimeError(f"{fault}.") from None
    write_parameters(values.out / PARAMETERS_FILE, parameters)
    deciding = policy(values)
    return [
        RegisterEventHandler(OnProcessExit(on_exit=end_session)),
        # The handshake's time must not include the CPU that other programs need to start.
        *after_output(
            [RECORDER, TRAFFIC, *([DETECTOR] if beside else []), *([POLICY] if deciding else [])],
            float(values["warm_up"]),
            tunnels(values),
        ),
        *([link_emulator(values, profile)] if profile is not None else []),
        *([detector(values, beside)] if beside else []),
        *deciding,
        recorder(values),
        traffic(values),
    ]


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=default, description=description)
                for name, default, description in ARGUMENTS
            ),
            included("environment.launch.py"),
            OpaqueFunction(function=start_all),
        ]
    )
