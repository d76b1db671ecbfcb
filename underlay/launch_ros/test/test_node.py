# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that nodes get names, parameters and remappings on the command line."""

from __future__ import annotations

import json
import os
import stat
import sys
import textwrap

import pytest
import yaml
from launch import LaunchContext, LaunchDescription, LaunchService
from launch.actions import RegisterEventHandler, SetLaunchConfiguration
from launch.event_handlers import OnProcessIO
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage, FindPackageShare

SHOW = """
import json, sys
files = [open(sys.argv[i + 1]).read() for i, a in enumerate(sys.argv) if a == "--params-file"]
print(json.dumps({"argv": sys.argv[1:], "files": files}))
"""


@pytest.fixture(autouse=True)
def package(tmp_path, monkeypatch):
    """Installs a package 'shown' whose program 'show' prints its arguments."""
    prefix = tmp_path / "prefix"
    program = prefix / "lib" / "shown" / "show"
    index = prefix / "share" / "ament_index" / "resource_index" / "packages"
    for folder in (program.parent, index, prefix / "share" / "shown"):
        folder.mkdir(parents=True)
    (index / "shown").touch()
    program.write_text(f"#!{sys.executable}\n{textwrap.dedent(SHOW)}")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(prefix), prepend=os.pathsep)
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path))
    before = dict(os.environ)
    yield prefix
    os.environ.clear()
    os.environ.update(before)


class Shown:
    """The command line of a node."""

    def __init__(self, text: str) -> None:
        content = json.loads(text)
        self.argv: list[str] = content["argv"]
        self.files = [yaml.unsafe_load(text) for text in content["files"]]

    def after(self, option: str) -> list[str]:
        """Return the arguments behind each occurrence of an option."""
        pairs = zip(self.argv, self.argv[1:], strict=False)
        return [value for name, value in pairs if name == option]

    def parameters(self, node: str = "/**") -> dict:
        assert len(self.files) == 1
        values = self.files[0][node]["ros__parameters"]
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
        }


def show(*entities) -> Shown:
    output = []
    service = LaunchService()
    service.include_launch_description(
        LaunchDescription(
            [
                RegisterEventHandler(
                    OnProcessIO(on_stdout=lambda event: output.append(event.text))
                ),
                *entities,
            ]
        )
    )
    assert service.run() == 0
    return Shown(b"".join(output).decode())


def test_name_namespace_and_arguments_are_on_the_command_line():
    shown = show(
        SetLaunchConfiguration("level", "debug"),
        Node(
            package="shown",
            executable="show",
            name="tunnel",
            namespace="pqc",
            ros_arguments=["--log-level", LaunchConfiguration("level")],
        ),
    )
    assert shown.argv[0] == "--ros-args"
    assert shown.after("--log-level") == ["debug"]
    assert shown.after("-r") == ["__node:=tunnel", "__ns:=/pqc"]


def test_a_node_without_a_name_keeps_its_own():
    assert show(Node(package="shown", executable="show")).after("-r") == []


def test_parameters_become_a_file_that_keeps_their_types():
    shown = show(
        SetLaunchConfiguration("number", "7"),
        Node(
            package="shown",
            executable="show",
            parameters=[
                {
                    "flag": True,
                    "count": 3,
                    "ratio": 0.5,
                    "text": "hello",
                    "looks_like_a_number": "12",
                    "nested": {"inner": 1},
                    "list": [1, 2],
                    "texts": ["a", "b"],
                    "from_yaml": LaunchConfiguration("number"),
                    "stays_text": ParameterValue(LaunchConfiguration("number"), value_type=str),
                    "whole": ParameterValue(LaunchConfiguration("number"), value_type=int),
                }
            ],
        ),
    )
    assert shown.parameters() == {
        "flag": True,
        "count": 3,
        "ratio": 0.5,
        "text": "hello",
        "looks_like_a_number": "12",
        "nested.inner": 1,
        "list": [1, 2],
        "texts": ["a", "b"],
        "from_yaml": 7,
        "stays_text": "7",
        "whole": 7,
    }


def test_plain_text_is_no_number():
    with pytest.raises(TypeError, match="'12' is not an instance of"):
        ParameterValue("12", value_type=int)


def test_parameters_are_for_the_one_node_if_its_name_is_known():
    shown = show(
        Node(
            package="shown",
            executable="show",
            name="tunnel",
            namespace="/pqc",
            parameters=[{"x": 1}],
        )
    )
    assert shown.parameters("/pqc/tunnel") == {"x": 1}


def test_parameter_files_and_dictionaries_keep_their_order(tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text("/**: {ros__parameters: {x: 1}}\n")
    shown = show(Node(package="shown", executable="show", parameters=[str(path), {"x": 2}]))
    assert [file["/**"]["ros__parameters"]["x"] for file in shown.files] == [1, 2]
    assert shown.after("--params-file")[0] == str(path)


def test_a_missing_parameter_file_is_omitted(tmp_path):
    shown = show(Node(package="shown", executable="show", parameters=[str(tmp_path / "none.yaml")]))
    assert shown.files == []


@pytest.mark.parametrize("text", ["[1, a]", "{a: 1}", "[", "[]"])
def test_a_value_that_cannot_be_a_parameter_fails_the_launch(text):
    service = LaunchService()
    node = Node(package="shown", executable="show", parameters=[{"x": LaunchConfiguration("x")}])
    service.include_launch_description(
        LaunchDescription([SetLaunchConfiguration("x", text), node])
    )
    assert service.run() == 1


def test_a_program_that_is_not_in_the_package_fails_the_launch():
    for package_name, executable in (("shown", "missing"), ("missing", "show")):
        service = LaunchService()
        service.include_launch_description(
            LaunchDescription([Node(package=package_name, executable=executable)])
        )
        assert service.run() == 1


def test_an_invalid_name_fails_the_launch():
    service = LaunchService()
    service.include_launch_description(
        LaunchDescription([Node(package="shown", executable="show", name="not/valid")])
    )
    assert service.run() == 1


def test_folders_and_programs_of_packages_are_found(package):
    context = LaunchContext()
    assert FindPackageShare("shown").perform(context) == str(package / "share" / "shown")
    assert ExecutableInPackage("show", "shown").perform(context) == str(
        package / "lib" / "shown" / "show"
    )
