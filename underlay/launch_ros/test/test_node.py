# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Nodes get their names, parameters and remappings on the command line."""

from __future__ import annotations

import json
import os
import stat
import sys
import textwrap

import pytest
import yaml
from launch import LaunchContext, LaunchDescription, LaunchService
from launch.actions import GroupAction, RegisterEventHandler, SetLaunchConfiguration
from launch.event_handlers import OnProcessIO
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import (
    Node,
    PushRosNamespace,
    SetParameter,
    SetParametersFromFile,
    SetRemap,
)
from launch_ros.parameter_descriptions import ParameterFile, ParameterValue
from launch_ros.substitutions import ExecutableInPackage, FindPackagePrefix, FindPackageShare

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
    """What a node was given."""

    def __init__(self, text: str) -> None:
        content = json.loads(text)
        self.argv: list[str] = content["argv"]
        self.files = [yaml.unsafe_load(text) for text in content["files"]]

    def after(self, option: str) -> list[str]:
        """Return the arguments behind each occurrence of an option."""
        pairs = zip(self.argv, self.argv[1:], strict=False)
        return [value for name, value in pairs if name == option]

    def parameters(self, node: str = "/**") -> dict:
        """Return the parameters in the one file."""
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


def test_arguments_come_before_those_for_ros():
    shown = show(
        Node(
            package="shown",
            executable="show",
            name="tunnel",
            namespace="pqc",
            arguments=["--own", "1"],
            ros_arguments=["--log-level", "debug"],
            remappings=[("a", "b"), ("c", LaunchConfiguration("x", default="d"))],
        )
    )
    assert shown.argv[:2] == ["--own", "1"]
    assert shown.after("--log-level") == ["debug"]
    rules = shown.after("-r")
    assert set(rules) == {"__node:=tunnel", "__ns:=/pqc", "a:=b", "c:=d"}
    assert rules.index("a:=b") < rules.index("c:=d")


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
                    "mixed_numbers": [1, 2.5],
                    "texts": ["a", "b"],
                    "from_yaml": LaunchConfiguration("number"),
                    "stays_text": ParameterValue(LaunchConfiguration("number"), value_type=str),
                    "joined": ["/", LaunchConfiguration("number"), "/x"],
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
        "mixed_numbers": [1.0, 2.5],
        "texts": ["a", "b"],
        "from_yaml": 7,
        "stays_text": "7",
        "joined": "/7/x",
    }


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


def test_substitutions_in_a_parameter_file_are_replaced_if_allowed(tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text("/**: {ros__parameters: {x: $(var number), y: '$(env PQC_TEST none)'}}\n")
    shown = show(
        SetLaunchConfiguration("number", "7"),
        Node(
            package="shown",
            executable="show",
            parameters=[ParameterFile(str(path), allow_substs=True)],
        ),
    )
    assert shown.parameters() == {"x": 7, "y": "none"}


def test_a_missing_parameter_file_is_left_out(tmp_path):
    shown = show(Node(package="shown", executable="show", parameters=[str(tmp_path / "none.yaml")]))
    assert shown.files == []


def test_a_parameter_that_is_not_uniform_fails_the_launch():
    service = LaunchService()
    node = Node(
        package="shown",
        executable="show",
        parameters=[{"x": LaunchConfiguration("x", default="[1, a]")}],
    )
    service.include_launch_description(LaunchDescription([node]))
    assert service.run() == 1


def test_namespaces_add_up_and_end_with_their_group():
    node = Node(package="shown", executable="show", name="inner", namespace="own")
    shown = show(
        PushRosNamespace("outer"),
        GroupAction([PushRosNamespace("inner"), node]),
    )
    assert "__ns:=/outer/inner/own" in shown.after("-r")
    absolute = Node(package="shown", executable="show", namespace="/own")
    assert "__ns:=/own" in show(PushRosNamespace("outer"), absolute).after("-r")
    after_group = Node(package="shown", executable="show")
    shown = show(GroupAction([PushRosNamespace("gone")]), after_group)
    assert shown.after("-r") == []


def test_parameters_and_remappings_of_a_scope_reach_the_nodes_in_it(tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text("/**: {ros__parameters: {y: 2}}\n")
    shown = show(
        SetParameter("use_sim_time", True),
        SetParameter("text", "hello"),
        SetParametersFromFile(str(path)),
        SetRemap("a", "b"),
        Node(package="shown", executable="show"),
    )
    parameters = dict(item.split(":=") for item in shown.after("-p"))
    assert {name: yaml.safe_load(value) for name, value in parameters.items()} == {
        "use_sim_time": True,
        "text": "hello",
    }
    assert shown.after("--params-file") == [str(path)]
    assert shown.after("-r") == ["a:=b"]


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
    assert FindPackagePrefix("shown").perform(context) == str(package)
    assert FindPackageShare("shown").perform(context) == str(package / "share" / "shown")
    assert ExecutableInPackage("show", "shown").perform(context) == str(
        package / "lib" / "shown" / "show"
    )
