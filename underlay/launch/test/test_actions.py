# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of actions that change configurations, environment and order."""

from __future__ import annotations

import os

import pytest
from launch import LaunchContext, LaunchDescription, LaunchService
from launch.actions import (
    DeclareLaunchArgument,
    GroupAction,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    SetEnvironmentVariable,
    SetLaunchConfiguration,
    TimerAction,
)
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution


def run(*entities) -> int:
    service = LaunchService()
    service.include_launch_description(LaunchDescription(list(entities)))
    return service.run()


class Recorder:
    """Collects the values of substitutions in the order in which they are visited."""

    def __init__(self) -> None:
        self.values: list[str] = []

    def record(self, substitution, **kwargs) -> OpaqueFunction:
        def function(context: LaunchContext) -> None:
            self.values.append(substitution.perform(context))

        return OpaqueFunction(function=function, **kwargs)


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture(autouse=True)
def restored_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path))
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


def test_an_argument_takes_its_default_unless_it_is_given(recorder):
    assert (
        run(
            SetLaunchConfiguration("given", "mine"),
            DeclareLaunchArgument("given", default_value="default"),
            DeclareLaunchArgument("other", default_value=["pre_", LaunchConfiguration("given")]),
            recorder.record(LaunchConfiguration("given")),
            recorder.record(LaunchConfiguration("other")),
        )
        == 0
    )
    assert recorder.values == ["mine", "pre_mine"]


def test_a_required_argument_that_is_missing_fails_the_launch(capfd):
    assert run(DeclareLaunchArgument("needed")) == 1


def test_a_value_that_is_not_a_choice_fails_the_launch():
    assert (
        run(
            SetLaunchConfiguration("mode", "c"),
            DeclareLaunchArgument("mode", default_value="a", choices=["a", "b"]),
        )
        == 1
    )


def test_a_default_that_is_not_a_choice_is_rejected_at_once():
    with pytest.raises(RuntimeError):
        DeclareLaunchArgument("mode", default_value="c", choices=["a", "b"])


def test_a_group_keeps_its_configurations_and_environment_to_itself(recorder):
    def note_environment(context: LaunchContext) -> None:
        recorder.values.append(os.environ.get("PQC_TEST", "unset"))

    assert (
        run(
            SetLaunchConfiguration("x", "outside"),
            GroupAction(
                [
                    SetLaunchConfiguration("x", "inside"),
                    SetEnvironmentVariable("PQC_TEST", "inside"),
                    recorder.record(LaunchConfiguration("x")),
                    OpaqueFunction(function=note_environment),
                ]
            ),
            recorder.record(LaunchConfiguration("x")),
            OpaqueFunction(function=note_environment),
        )
        == 0
    )
    assert recorder.values == ["inside", "inside", "outside", "unset"]


def test_conditions_decide_what_is_executed(recorder):
    assert (
        run(
            SetLaunchConfiguration("on", "True"),
            recorder.record(LaunchConfiguration("on"), condition=IfCondition("1")),
            GroupAction(
                [recorder.record(LaunchConfiguration("on"))], condition=IfCondition("false")
            ),
            recorder.record(
                LaunchConfiguration("on"), condition=IfCondition(LaunchConfiguration("on"))
            ),
        )
        == 0
    )
    assert recorder.values == ["True", "True"]


def test_a_condition_that_is_neither_true_nor_false_fails_the_launch():
    assert run(OpaqueFunction(function=lambda context: None, condition=IfCondition("maybe"))) == 1


@pytest.fixture
def launch_file(tmp_path):
    path = tmp_path / "included.launch.py"
    path.write_text(
        "from launch import LaunchDescription\n"
        "from launch.actions import DeclareLaunchArgument\n"
        "def generate_launch_description():\n"
        "    return LaunchDescription([\n"
        "        DeclareLaunchArgument('needed', description='must be given'),\n"
        "        DeclareLaunchArgument('optional', default_value='x'),\n"
        "    ])\n"
    )
    return path


def test_an_included_file_gets_its_arguments(launch_file, recorder):
    assert (
        run(
            IncludeLaunchDescription(
                str(launch_file),
                launch_arguments={"needed": "value"}.items(),
            ),
            recorder.record(LaunchConfiguration("needed")),
            recorder.record(LaunchConfiguration("optional")),
        )
        == 0
    )
    assert recorder.values == ["value", "x"]


def test_an_included_file_whose_argument_is_missing_fails_the_launch(launch_file):
    assert run(IncludeLaunchDescription(str(launch_file))) == 1


def test_the_arguments_of_included_files_are_found_without_launching(launch_file):
    description = LaunchDescription(
        [
            DeclareLaunchArgument("own", description="first"),
            IncludeLaunchDescription(str(launch_file)),
            GroupAction([DeclareLaunchArgument("perhaps")], condition=IfCondition("true")),
        ]
    )
    found = [
        (argument.name, conditional, len(includes))
        for argument, conditional, includes in description.declared_arguments()
    ]
    assert found == [
        ("own", False, 0),
        ("needed", False, 1),
        ("optional", False, 1),
        ("perhaps", True, 0),
    ]


def test_a_file_that_is_not_a_launch_file_fails_the_launch(tmp_path):
    for name in ("empty.launch.py", "other.xml"):
        path = tmp_path / name
        path.touch()
        assert run(IncludeLaunchDescription(str(path))) == 1


def test_text_and_paths_are_joined(recorder):
    assert (
        run(
            SetLaunchConfiguration("name", ["talk", "er"]),
            recorder.record(PathJoinSubstitution(["/a", LaunchConfiguration("name"), "b.yaml"])),
            LogInfo(msg=["the ", LaunchConfiguration("name")]),
        )
        == 0
    )
    assert recorder.values == ["/a/talker/b.yaml"]


def test_a_list_with_anything_else_is_rejected_at_once():
    with pytest.raises(TypeError):
        LogInfo(msg=["text", 3])


def test_a_configuration_that_is_not_set_fails_the_launch(recorder):
    assert run(recorder.record(LaunchConfiguration("missing"))) == 1


def test_timers_fire_in_the_order_of_their_periods(recorder):
    assert (
        run(
            SetLaunchConfiguration("a", "late"),
            SetLaunchConfiguration("b", "early"),
            TimerAction(period=0.2, actions=[recorder.record(LaunchConfiguration("a"))]),
            TimerAction(period=0.05, actions=[recorder.record(LaunchConfiguration("b"))]),
        )
        == 0
    )
    assert recorder.values == ["early", "late"]


def test_entities_returned_by_a_function_are_visited(recorder):
    entities = [SetLaunchConfiguration("x", "set"), recorder.record(LaunchConfiguration("x"))]
    assert run(OpaqueFunction(function=lambda context: entities)) == 0
    assert recorder.values == ["set"]


def test_an_exception_while_visiting_fails_the_launch(capfd):
    def fail(context: LaunchContext) -> None:
        raise RuntimeError("out of luck")

    assert run(OpaqueFunction(function=fail)) == 1
