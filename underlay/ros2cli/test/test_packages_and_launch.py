# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the verbs that find and start programs of packages."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from ros2cli.cli import main
from ros2cli.command.launch import parse_launch_arguments

LAUNCH_FILE = """
    from launch import LaunchDescription
    from launch.actions import DeclareLaunchArgument, ExecuteProcess
    from launch.conditions import IfCondition
    from launch.substitutions import LaunchConfiguration
    from launch_ros.substitutions import ExecutableInPackage

    def generate_launch_description():
        return LaunchDescription([
            DeclareLaunchArgument("word", default_value="hello", description="What to say."),
            DeclareLaunchArgument("rare", default_value="", condition=IfCondition("false")),
            ExecuteProcess(
                cmd=[ExecutableInPackage("say", "shown"), LaunchConfiguration("word")],
                output="screen"),
        ])
"""


@pytest.fixture(autouse=True)
def prefix(tmp_path, monkeypatch) -> Path:
    """Installs a package 'shown' with a program 'say' and a launch file."""
    prefix = tmp_path / "prefix"
    program = prefix / "lib" / "shown" / "say"
    launch_file = prefix / "share" / "shown" / "launch" / "say.launch.py"
    index = prefix / "share" / "ament_index" / "resource_index" / "packages"
    for folder in (program.parent, launch_file.parent, index):
        folder.mkdir(parents=True)
    (index / "shown").touch()
    program.write_text('#!/bin/sh\necho said: "$1"\nexit "${EXIT_CODE:-0}"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    launch_file.write_text(textwrap.dedent(LAUNCH_FILE))
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(prefix), prepend=os.pathsep)
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path))
    return prefix


def ros2_process(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    code = "import sys; from ros2cli.cli import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_prefix_of_a_package_is_printed(prefix, ros2):
    assert ros2("pkg", "prefix", "shown") == f"{prefix}\n"
    assert ros2("pkg", "prefix", "--share", "shown") == f"{prefix}/share/shown\n"
    assert main(["pkg", "prefix", "missing"]) == "Package 'missing' not found"


def test_run_becomes_the_program_with_its_exit_code():
    result = ros2_process("run", "shown", "say", "--word", "-x", EXIT_CODE="7")
    assert result.stdout == "said: --word\n"
    assert result.returncode == 7


def test_run_reports_the_missing_package_or_program():
    assert main(["run", "missing", "say"]) == "Package 'missing' not found"
    assert main(["run", "shown", "missing"]) == "No executable found"


def test_launch_by_package_passes_arguments():
    result = ros2_process("launch", "shown", "say.launch.py", "word:=given")
    assert "[say-1] said: given" in result.stdout.splitlines()
    assert result.returncode == 0


def test_launch_stopped_by_sigterm_stops_its_processes(tmp_path):
    path = tmp_path / "sleep.launch.py"
    path.write_text(
        "from launch import LaunchDescription\n"
        "from launch.actions import ExecuteProcess\n"
        "def generate_launch_description():\n"
        "    sleep = ExecuteProcess(cmd=['sleep', '60'], name='sleeper')\n"
        "    return LaunchDescription([sleep])\n"
    )
    code = "import sys; from ros2cli.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", code, "launch", str(path)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        started = next(line for line in process.stdout if "process started with pid" in line)
        process.terminate()
        rest = process.stdout.read()
        assert process.wait(60) == 1
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert "[ERROR] [sleeper-1]: process has died" in rest
    assert not Path("/proc", started.split("[")[-1].rstrip("]\n")).exists()


def test_launch_by_path_uses_the_defaults(prefix):
    result = ros2_process("launch", str(prefix / "share/shown/launch/say.launch.py"))
    assert "[say-1] said: hello" in result.stdout.splitlines()


def test_arguments_of_a_launch_file_are_shown(ros2):
    text = ros2("launch", "shown", "say.launch.py", "--show-args")
    assert "\n    'word':\n        What to say.\n        (default: 'hello')\n" in text
    assert "\n    'rare':*\n" in text


def test_launch_reports_the_missing_package_file_or_value(prefix):
    assert main(["launch", "missing", "say.launch.py"]) == "Package 'missing' not found"
    assert main(["launch", "shown", "missing.launch.py"]) == (
        "file 'missing.launch.py' was not found in the share directory of package 'shown' "
        f"which is at '{prefix}/share/shown'"
    )
    assert main(["launch", "shown", "say.launch.py", "word"]) == (
        "malformed launch argument 'word', expected format '<name>:=<value>'"
    )


def test_the_last_of_several_launch_arguments_wins():
    assert parse_launch_arguments(["a:=1", "b:=x:=y", "a:=2"]) == [("a", "2"), ("b", "x:=y")]


def test_an_unknown_command_is_rejected(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["fly"])
    assert stop.value.code == 2
    assert "invalid choice: 'fly'" in capsys.readouterr().err
