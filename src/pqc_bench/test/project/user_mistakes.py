# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The mistakes that users made or may make: command, expected sentence, exit code.

`{files}` is a folder that `make_files` fills, `{dev}` the developer script.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

REFUSED, WRONG_USAGE = 1, 2


@dataclass(frozen=True)
class Mistake:
    """A command, a part of what it must print (spaces joined), and its exit code."""

    command: str
    sentence: str
    code: int


def make_files(folder: Path, source: Path) -> None:
    """Write keys, parameter files and recordings, valid and broken ones."""
    subprocess.run(
        ["pqc", "identity", "init", "--out", folder / "keys", "--drone", "drone1",
         "--anchor", "none"],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    shutil.copytree(folder / "keys" / "drone1", folder / "readable")
    for file in (folder / "readable").iterdir():
        file.chmod(0o644)
    (folder / "keys" / "cut").mkdir(mode=0o700)
    cut = folder / "keys" / "cut" / "drone.identity"
    cut.write_bytes((folder / "keys" / "drone1" / "drone.identity").read_bytes()[:20])
    cut.chmod(0o600)
    configuration = (source / "config" / "drone.yaml").read_text()
    good = configuration.replace("/etc/pqc/drone", str(folder / "keys" / "drone1"))
    (folder / "good.yaml").write_text(good)
    keys = f"identity_dir: {folder / 'keys' / 'drone1'} "
    for name, former, new in (
        ("no_keys", keys, f"identity_dir: {folder / 'missing'} "),
        ("readable", keys, f"identity_dir: {folder / 'readable'} "),
        ("cut", keys, f"identity_dir: {folder / 'keys' / 'cut'} "),
        ("ground_keys", keys, f"identity_dir: {folder / 'keys' / 'gcs'} "),
        ("misspelt", "gcs_address:", "gcs_addres:"),
        ("bad_address", "gcs_address: 127.0.0.1", "gcs_address: not a host"),
        ("no_address", "gcs_address: 127.0.0.1", "gcs_address: ''"),
        ("bad_level", "# min_level: 0", "min_level: 7"),
        ("bad_suite", "# suite: cs-mlkem768-aesgcm-mldsa65", "suite: cs-mlkem768-aesgcm-mldsa66"),
        ("bad_port", " datagram_port: 46011", " datagram_port: 70000"),
        ("bad_type", " datagram_port: 46011", " datagram_port: many"),
    ):
        assert former in good, former
        (folder / f"{name}.yaml").write_text(good.replace(former, new))
    (folder / "no_yaml.yaml").write_text("a: [1, 2\n")
    (folder / "empty").mkdir()
    (folder / "plain_file").write_text("text\n")
    shutil.copytree(source / "src" / "pqc_policy" / "flights" / "calm", folder / "flight")
    shutil.copytree(folder / "flight", folder / "broken_flight")
    for bag in (folder / "broken_flight").glob("*.mcap"):
        bag.write_bytes(bag.read_bytes()[:100])


def _mistakes(program: str, *rows: tuple[str, str, int]) -> tuple[Mistake, ...]:
    """Return mistakes in the options of a program: options, sentence, exit code."""
    return tuple(Mistake(f"{program} {options}", text, code) for options, text, code in rows)


def _wrong_usage(program: str, *rows: tuple[str, str]) -> tuple[Mistake, ...]:
    """Return mistakes that a program refuses before it starts anything: options, sentence."""
    return _mistakes(program, *((options, text, WRONG_USAGE) for options, text in rows))


_DEV = (
    Mistake("{dev} tset", "there is no command 'tset'", REFUSED),
    Mistake("{dev} setup now", "'setup' takes no arguments, but got: now", REFUSED),
    Mistake("{dev} shell x", "'shell' takes no arguments, but got: x", REFUSED),
    Mistake("{dev} docs x", "'docs' takes no arguments, but got: x", REFUSED),
    Mistake("{dev} test pqc_tunel", "there is no package 'pqc_tunel'", REFUSED),
    Mistake("{dev} build --packages-select x", "there is no package 'x'", REFUSED),
    Mistake("{dev} install", "install needs a folder to install into", REFUSED),
    Mistake("{dev} plain", "plain needs a folder to install into", REFUSED),
    Mistake("{dev} plain --dev", "plain needs a folder to install into", REFUSED),
    Mistake("{dev} platforms debian7", "there is no platform 'debian7'", REFUSED),
    Mistake("{dev} demo --foo", "unrecognized arguments: --foo", WRONG_USAGE),
)

_DEMO = _wrong_usage(
    "{dev} demo",
    ("--seconds abc", "'abc' isn't a number"),
    ("--rate -1", "'-1' isn't a rate from 1 to 20000 per second"),
    ("--charge 200", "'200' isn't a percentage from 0 to 100"),
    ("take off", "unrecognized arguments: take off"),
)

# Only the built workspace knows the links and the detectors.
_BUILT = (
    *_wrong_usage(
        "ros2 run pqc_sim demo",
        ("--link nosuch", "'nosuch' is no file, and none of the links"),
    ),
    *_wrong_usage(
        "ros2 run pqc_bench bench",
        ("matrix --link lte5", "none of the links"),
        ("record --out {files}/new --link lte5", "none of the links"),
        ("record --out {files}/new --link none", "a recording needs a link"),
        ("detectors --detectors foo", "There is no model foo"),
    ),
)

_BENCH = (
    *_wrong_usage(
        "{dev} bench",
        ("matrx", "invalid choice: 'matrx'"),
        ("matrix --foo", "unrecognized arguments: --foo"),
        ("matrix --scenario wrong", "bench: there is no scenario 'wrong'"),
        ("rekey --ahead --repeat 2", "it can't be used with --repeat"),
        ("flood --rate x", "'x' isn't a rate from 1 to 20000 per second"),
        ("formal --only x", "invalid choice: 'x'"),
        ("mutants --only engine/*", "--only begins with protocol/ or link/"),
    ),
    Mistake("{dev} bench matrix --out /proc/x", "'/proc/x'", WRONG_USAGE),
    Mistake("{dev} train --jobs 0", "'0' isn't a number of processes", WRONG_USAGE),
)

_REPLAY = _mistakes(
    "ros2 run pqc_policy replay",
    ("", "The following arguments are required: bag.", WRONG_USAGE),
    ("/nope", "There is no bag /nope.", REFUSED),
    ("{files}/empty", "it has no file that ends in .mcap.", REFUSED),
    ("{files}/plain_file", "is no bag that can be read", REFUSED),
    ("{files}/broken_flight", "is no bag that can be read: it has no message", REFUSED),
    ("{files}/flight --strategy foo", "invalid choice: 'foo'", WRONG_USAGE),
    ("{files}/flight --params /nope", "The parameter file /nope can't be read", REFUSED),
)

_PQC = _mistakes(
    "pqc",
    ("shw", 'There is no command "shw"; did you mean show?', WRONG_USAGE),
    ("up nosuch", 'There is no tunnel "nosuch"', REFUSED),
    ("down nosuch", 'There is no tunnel "nosuch"', REFUSED),
    ("show nosuch", 'There is no tunnel "nosuch"', REFUSED),
    ("suites nosuch", 'There is no tunnel "nosuch"', REFUSED),
    ("completion csh", "pqc completion bash|zsh|fish", WRONG_USAGE),
    ("parameters ground", "pqc parameters drone|gcs", WRONG_USAGE),
    ("exposure --foo", "The option --foo is unknown.", WRONG_USAGE),
    ("identity init --drone drone1", "The option --out is needed.", WRONG_USAGE),
    ("identity init --out {files}/keys --drone drone1", "never overwritten", REFUSED),
    ("identity init --out {files}/new --drone 'a b'", "a b", REFUSED),
    ("identity add-drone --out {files}/keys --drone drone1", "drone1", REFUSED),
    ("identity add-drone --out {files}/empty --drone drone2", "{files}/empty", REFUSED),
    ("identity inspect /nope", "/nope isn't there", REFUSED),
    ("identity inspect {files}/plain_file", "{files}/plain_file", REFUSED),
    ("check /nope.yaml", "Parameter file /nope.yaml isn't there.", REFUSED),
    ("check {files}/no_yaml.yaml", "no_yaml.yaml", REFUSED),
    ("check {files}/no_keys.yaml", "missing", REFUSED),
    ("check {files}/readable.yaml", "must have mode 0600", REFUSED),
    ("check {files}/cut.yaml", "drone.identity", REFUSED),
    ("check {files}/ground_keys.yaml", "is that of a ground station", REFUSED),
    ("check {files}/misspelt.yaml", "gcs_address", REFUSED),
    ("check {files}/no_address.yaml", "gcs_address", REFUSED),
    ("check {files}/bad_address.yaml", "not a host", REFUSED),
    ("check {files}/bad_level.yaml", "min_level", REFUSED),
    ("check {files}/bad_suite.yaml", "did you mean cs-mlkem768-aesgcm-mldsa65", REFUSED),
    ("check {files}/bad_port.yaml", "datagram_port", REFUSED),
    ("check {files}/bad_type.yaml", "datagram_port", REFUSED),
)

_DAEMON = _mistakes(
    "pqc_tunneld",
    ("", "Parameter role is empty, but must be drone or gcs.", WRONG_USAGE),
    ("--foo", "The option --foo is unknown.", WRONG_USAGE),
    ("--config /nope", "Parameter file /nope isn't there.", REFUSED),
    ("--config {files}/good.yaml --status /nope/x", "/nope", REFUSED),
    ("--config {files}/no_keys.yaml", "missing", WRONG_USAGE),
    ("--config {files}/good.yaml -p suit:=x", "did you mean suite?", WRONG_USAGE),
)

_NODES = (
    Mistake(
        "ros2 run pqc_policy policy_node --strategy expert",
        "The argument --strategy is unknown", WRONG_USAGE,
    ),
    Mistake(
        "ros2 run pqc_policy sensing_node --ros-args -p mirror_prt:=1",
        "did you mean mirror_port?", WRONG_USAGE,
    ),
)  # fmt: skip

_LAUNCH = _mistakes(
    "ros2 launch pqc_tunnel",
    ("dron.launch.py", "'dron.launch.py' was not found", REFUSED),
    ("gcs.launch.py params_file:=/nope", "params_file: the file /nope can't be read", REFUSED),
    ("drone.launch.py policy_params_file:=/nope", "policy_params_file: the file /nope", REFUSED),
    ("record.launch.py record_dir:=/proc/x", "no bag can be written in '/proc/x'", REFUSED),
)

MISTAKES = (*_DEV, *_DEMO, *_BENCH, *_BUILT, *_REPLAY, *_PQC, *_DAEMON, *_NODES, *_LAUNCH)
