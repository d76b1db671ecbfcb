# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Run suites x scenarios x loads x links, each cell a launch of its own, with metrics and a bag.

A cell is a launch of session.launch.py: both tunnels as users start them, a load through them, the
program of the scenario beside them, and a bag. A cell consists of handshake, clock comparison,
traffic, one rekey under traffic and a clean end; its observations go to metrics.json in its folder
below OUT/cells. A run can be stopped at any time, and --resume continues it. A cell that fails is
recorded with the reason, and the run continues. Exit code 0: every cell was completed.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from pqc_sim.processes.command_line import link_seed, seconds, whole

from pqc_bench.cell.cell import CLEAN, OFF, POLICIES, RATES
from pqc_bench.cell.scenario import BASELINE, DETECTORS, SCENARIOS, scenario_command
from pqc_bench.cell.suite_set import choose_suites
from pqc_bench.cell.vehicle_option import check_vehicle
from pqc_bench.harness.usage import (
    UsageFault,
    check_output_folder,
    fault_of_usage,
    some_of,
    unknown,
)
from pqc_bench.power.source import power_source
from pqc_bench.testbed.host import LOCAL

_SHORTEST_S = 0.5


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments; those not given are None, and a resumed run has its own values."""
    parser.add_argument(
        "--suites",
        type=choose_suites,
        help="paper (the 72 of the earlier papers), seed002 (30), seed003 (21), extended, all, or "
        "patterns of ids and of the papers' short codes (ML-768-AG-MD-65); several with commas "
        "(paper)",
    )
    parser.add_argument(
        "--scenario",
        type=some_of(SCENARIOS, "scenario"),
        help="of baseline, light and heavy (the detectors trees and transformer), stand-in-light "
        "and stand-in-heavy (stress-ng with the CPU share and memory of the papers' detectors); "
        "several with commas (baseline)",
    )
    parser.add_argument(
        "--load",
        type=some_of(tuple(RATES), "load"),
        help="of mavlink (the vehicle and an idle ground station), mavproxy (MAVProxy at both ends "
        "as in the earlier papers), blaster; with commas (mavlink)",
    )
    parser.add_argument(
        "--vehicle",
        metavar="DEVICE|COMMAND",
        help="an autopilot in place of the simulated vehicle, at the drone of a --testbed: "
        "/dev/ttyAMA0[,BAUD], or a program that sends MAVLink to the UDP port that takes the place "
        "of {port}",
    )
    parser.add_argument("--link", help="clean, installed profiles, or files; with commas (clean)")
    parser.add_argument("--seconds", type=_long_enough, help="traffic in each cell (2)")
    parser.add_argument(
        "--repeat",
        type=whole(1, 99),
        metavar="N",
        help="cells of each suite and condition, for intervals (5)",
    )
    parser.add_argument(
        "--order-seed",
        type=whole(0, 2**32 - 1),
        metavar="SEED",
        help="of the order of the cells within each repetition (a new one, kept in run.json)",
    )
    parser.add_argument("--link-seed", type=link_seed, help="of emulated links (1)")
    parser.add_argument(
        "--policy",
        choices=POLICIES,
        help="off: without policy; advise: the policy runs and is recorded, but rekeys nothing "
        "(off)",
    )
    parser.add_argument("--out", type=Path, help="folder of the run (a new one, named by the date)")
    parser.add_argument(
        "--resume", action="store_true", help="continue the run in --out with its options"
    )
    parser.add_argument(
        "--retry",
        action="store_true",
        help="with --resume: run failed and disturbed cells again, too",
    )
    parser.add_argument(
        "--detector",
        type=_detector,
        action="append",
        metavar="DETECTOR|SCENARIO=DETECTOR|SCENARIO=COMMAND",
        help="what a scenario runs instead: the detector trees or transformer, in the "
        "advisor node (with --testbed: without ROS), or a program, which gets --summary FILE and "
        "prints a line when it runs",
    )
    parser.add_argument(
        "--testbed",
        type=Path,
        metavar="FILE|local",
        help="run the ends of each cell without ROS on two computers, or on several pairs of them "
        "(docs/benchmarks/two-computers.md); local: both on this one",
    )
    parser.add_argument(
        "--only-preflight",
        action="store_true",
        help="with --testbed: check both ends and run nothing",
    )
    parser.add_argument(
        "--shard",
        type=_shard,
        metavar="K/N",
        help="run every N-th cell, from the K-th on; bench merge joins the folders",
    )
    parser.add_argument(
        "--fix-clock",
        action="store_true",
        help="as root: hold the clock of the CPU meanwhile, and restore it however the run ends",
    )
    parser.add_argument(
        "--no-speed", action="store_true", help="don't time the primitives into speed.json first"
    )
    parser.add_argument(
        "--sys-root", type=Path, default=Path("/sys"), help="where temperatures and power are read"
    )
    parser.add_argument(
        "--power",
        type=power_source,
        metavar="SOURCE",
        help="auto, none, meter (an external one, whose file `bench meter` imports afterwards), or "
        "options of pqc_power_capture, such as '--source i2c --bus 1' (auto)",
    )


def check(options: argparse.Namespace) -> None:
    """Reject options without an effect, and a folder that can't be written."""
    if options.retry and not options.resume:
        raise UsageFault("--retry has no effect without --resume")
    if options.resume and options.out is None:
        raise UsageFault("--resume needs --out, the folder of the run")
    if not options.sys_root.is_dir():
        raise UsageFault(f"there is no folder '{options.sys_root}' for --sys-root")
    if options.vehicle is not None:
        _check_vehicle(options)
    if options.out is not None:
        if options.out.exists() and not options.out.is_dir():
            raise UsageFault(f"'{options.out}' is a file; --out names a folder")
        check_output_folder(options.out)
    if options.only_preflight and options.testbed is None and not options.resume:
        raise UsageFault("--only-preflight has no effect without --testbed")
    if options.resume:
        return
    if options.testbed is not None:
        _check_testbed(options)
    if options.link_seed is not None and set((options.link or CLEAN).split(",")) <= {CLEAN, "none"}:
        raise UsageFault("--link-seed has no effect on a clean link")
    for scenario, _ in options.detector or []:
        if scenario not in (options.scenario or [BASELINE]):
            raise UsageFault(f"--detector {scenario}=… has no effect without --scenario {scenario}")


def _check_testbed(options: argparse.Namespace) -> None:
    """Reject what needs ROS, an emulated link and the policy's nodes, and a missing file."""
    if (options.link or CLEAN) not in (CLEAN, "none"):
        raise UsageFault("--link has no effect with --testbed, whose link is the real one")
    if (options.policy or OFF) != OFF:
        raise UsageFault("--policy needs ROS, which the ends of a --testbed do without")
    if str(options.testbed) != LOCAL and not options.testbed.is_file():
        raise UsageFault(f"there is no file '{options.testbed}' for --testbed")


def _shard(text: str) -> str:
    from pqc_bench.matrix.run_file import parse_shard

    try:
        parse_shard(text)
    except ValueError as error:
        raise UsageFault(str(error)) from error
    return text


def _check_vehicle(options: argparse.Namespace) -> None:
    if options.load == ["blaster"]:
        raise UsageFault("--vehicle has no effect with --load blaster")
    with fault_of_usage():
        # The preflight looks for it at the drone of a test bed.
        check_vehicle(options.vehicle, here=options.testbed is None and not options.resume)


def _long_enough(text: str) -> float:
    if (traffic_s := seconds(text)) < _SHORTEST_S:
        raise UsageFault(f"traffic of less than {_SHORTEST_S} s holds no rekey")
    return traffic_s


def _detector(text: str) -> tuple[str, str]:
    """Return the scenario, and the detector or the command."""
    if text in DETECTORS:
        return DETECTORS[text], text
    scenario, equals, command = text.partition("=")
    loaded = [name for name in SCENARIOS if name != BASELINE]
    if not equals or not command:
        known = ", ".join(DETECTORS)
        raise UsageFault(
            f"--detector {text} is none of {known}, and isn't of the form SCENARIO=COMMAND"
        )
    if scenario not in loaded:
        raise unknown("scenario with a load", scenario, loaded)
    program = scenario_command(scenario, command)[0]
    if shutil.which(program) is None:
        raise UsageFault(f"there is no program '{program}' for --detector {scenario}")
    return scenario, command
