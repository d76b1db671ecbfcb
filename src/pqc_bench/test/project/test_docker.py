# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Rules for the container files, which can be checked without a container engine."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

_TOP = Path(__file__).parents[4]
_DOCKER = _TOP / "docker"
_DOCKERFILES = sorted(_DOCKER.glob("*.Dockerfile"))
# The other ones get a system that is already made.
_FROM_SOURCES = [file for file in _DOCKERFILES if "COPY . " in file.read_text(encoding="utf-8")]
# A machine without ROS gets these files beside the programs.
_EXAMPLES = (
    "drone.yaml",
    "gcs.yaml",
    "mavlink-router/drone.conf",
    "mavlink-router/ground.conf",
    "nftables/drone.nft",
    "nftables/ground.nft",
    "wireshark/pqc_mav.lua",
)
pytestmark = pytest.mark.skipif(not _DOCKER.is_dir(), reason="not in the source tree")


def _services() -> dict[str, Any]:
    content = yaml.safe_load((_DOCKER / "compose.yaml").read_text(encoding="utf-8"))
    return content["services"]


def _instructions(file: Path) -> list[tuple[str, str]]:
    text = re.sub(r"\\\n", " ", file.read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines]


def test_every_end_runs_without_capabilities_and_with_read_only_keys() -> None:
    for name, service in _services().items():
        assert service["network_mode"] == "host", name
        assert service["cap_drop"] == ["ALL"], name
        assert "cap_add" not in service, name
        assert "privileged" not in service, name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["read_only"] is True, name
        assert service["user"] == "${PQC_UID:-10001}", name
        assert len(service["volumes"]) == 2, name
        assert all(volume.endswith(":ro") for volume in service["volumes"]), name


def test_the_priority_that_the_docs_recommend_is_within_the_limits() -> None:
    text = (_TOP / "docs" / "operations.md").read_text(encoding="utf-8")
    (priority,) = re.findall(r"`packet_thread\.priority: (\d+)`", text)
    for name, service in _services().items():
        assert service["ulimits"]["rtprio"] >= int(priority), name
        assert service["ulimits"]["memlock"] == -1, name


def test_keys_are_mounted_where_the_parameter_files_look_for_them() -> None:
    ends = {"drone": "drone", "ground": "gcs", "drone-plain": "drone", "ground-plain": "gcs"}
    for name, service in _services().items():
        config = _TOP / "config" / f"{ends[name]}.yaml"
        parameters = yaml.safe_load(config.read_text(encoding="utf-8"))["/**/tunnel"]
        folder = parameters["ros__parameters"]["identity_dir"]
        assert any(f"}}:{folder}:ro" in volume for volume in service["volumes"])


def test_every_service_builds_a_stage_that_exists() -> None:
    built = {name: service for name, service in _services().items() if "build" in service}
    assert set(built) == {"drone", "ground"}
    for name, service in built.items():
        file = _TOP / service["build"]["dockerfile"]
        stages = re.findall(r"^FROM .* AS (\S+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert service["build"]["target"] in stages, name


@pytest.mark.parametrize("file", _DOCKERFILES, ids=lambda file: file.name)
def test_no_image_names_a_registry_or_runs_as_root(file: Path) -> None:
    instructions = _instructions(file)
    arguments = dict(
        text.split("=", 1) for word, text in instructions if word == "ARG" and "=" in text
    )
    origins = {text.split()[0] for word, text in instructions if word == "FROM"}
    assert origins <= {"scratch", "${BASE}", "runtime"}
    assert "/" not in arguments.get("BASE", "")
    (user,) = (text for word, text in instructions if word == "USER")
    assert int(user.replace("${PQC_UID}", arguments.get("PQC_UID", "")).split(":")[0]) > 0


@pytest.mark.parametrize("file", _FROM_SOURCES, ids=lambda file: file.name)
def test_copied_files_exist_and_are_not_ignored(file: Path) -> None:
    ignore = file.with_name(f"{file.name}.dockerignore").read_text(encoding="utf-8").splitlines()
    assert ignore[1] == "*", "everything is ignored unless it is listed: the tree may hold keys"
    # Keys within the listed folders.
    assert {"**/*.key", "**/*.identity", "**/*.drone"} <= set(ignore)
    let_through = {line[1:] for line in ignore if line.startswith("!")}
    for word, text in _instructions(file):
        if word == "COPY" and not text.startswith("--from"):
            source = text.split()[0]
            if source != ".":
                assert (_TOP / source).exists(), source
                assert any(source == one or source.startswith(f"{one}/") for one in let_through)
    assert all((_TOP / name).exists() for name in let_through)


def _copy_into(folder: Path, file: Path) -> None:
    """Copy what a Dockerfile copies from the checkout, and nothing else."""
    ignored = file.with_name(f"{file.name}.dockerignore").read_text(encoding="utf-8").splitlines()
    let_through = [line[1:] for line in ignored if line.startswith("!")]
    for word, text in _instructions(file):
        if word != "COPY" or text.startswith("--from"):
            continue
        source = text.split()[0]
        for name in let_through if source == "." else [source]:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if (_TOP / name).is_dir() and not (_TOP / name).is_symlink():
                skip = shutil.ignore_patterns("__pycache__", ".*", "*.key", "*.identity", "*.drone")
                shutil.copytree(_TOP / name, target, symlinks=True, ignore=skip)
            else:
                shutil.copy2(_TOP / name, target, follow_symlinks=False)


@pytest.mark.parametrize("file", _FROM_SOURCES, ids=lambda file: file.name)
def test_an_image_builds_from_the_files_that_it_copies(file: Path, tmp_path: Path) -> None:
    source, build, out = (tmp_path / name for name in ("src", "build", "out"))
    _copy_into(source, file)
    subprocess.run([source / "dev", "help"], capture_output=True, check=True)
    package = source / "src" / "pqc_tunnel"
    assert all(path.exists() for path in source.rglob("*")), "a link leads nowhere"
    options = ["-DPQC_TUNNEL_ROS=OFF", "-DPQC_TUNNEL_TESTS=OFF", f"-DCMAKE_INSTALL_PREFIX={out}"]
    # Every source is looked for; a compiler is tried, but compiles nothing.
    for command in (
        ["cmake", "-S", package, "-B", build, "-G", "Ninja", *options],
        ["cmake", "--install", build, "--component", "files"],
    ):
        run = subprocess.run(command, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
    assert {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()} == {
        "bin/pqc-seal",
        "lib/systemd/system/pqc@.service",
        "lib/sysctl.d/pqc.conf",
        "lib/sysusers.d/pqc.conf",
        "share/bash-completion/completions/pqc",
        *(f"share/pqc_tunnel/config/{name}" for name in _EXAMPLES),
    }


def test_images_are_built_by_the_script_that_developers_use() -> None:
    text = (_DOCKER / "ros.Dockerfile").read_text(encoding="utf-8")
    (stage,) = re.findall(r"^FROM \S+ AS build$(.*?)^FROM ", text, re.MULTILINE | re.DOTALL)
    assert "./dev install /opt/" in stage
    for tool in ("apt-get install", "rosdep install", "pip install", "cmake", "colcon"):
        assert tool not in stage, tool
    usage = subprocess.run([_TOP / "dev", "help"], capture_output=True, text=True, check=True)
    for command in ("install", "images"):
        assert re.search(rf"^  {command} FOLDER", usage.stdout, re.MULTILINE), command


def test_the_image_without_ros_has_only_what_mmdebstrap_made() -> None:
    instructions = _instructions(_DOCKER / "plain.Dockerfile")
    assert [text for word, text in instructions if word == "FROM"] == ["scratch"]
    assert [text for word, text in instructions if word == "ADD"] == ["root.tar /"]
    assert not {"COPY", "RUN"} & {word for word, _ in instructions}


def test_no_package_is_in_two_lists_of_the_setup() -> None:
    lists = [
        re.findall(r"^[a-z][\w.+-]+", file.read_text(encoding="utf-8"), re.MULTILINE)
        for file in sorted((_TOP / "setup").glob("apt*.txt"))
    ]
    names = [name for one in lists for name in one]
    assert len(lists) >= 3
    assert len(names) == len(set(names))
