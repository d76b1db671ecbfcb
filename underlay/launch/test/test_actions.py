# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Actions change configurations, environment and order as described."""

from __future__ import annotations

import os

import pytest
from launch import LaunchContext, LaunchDescription, LaunchService
from launch.actions import (
    AppendEnvironmentVariable,
    DeclareLaunchArgument,
    GroupAction,
    IncludeLaunchDescription,
    OpaqueFunction,
    SetEnvironmentVariable,
    SetLaunchConfiguration,
    TimerAction,
    UnsetEnvironmentVariable,
)
from launch.conditions import IfCondition, UnlessCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, ThisLaunchFileDir


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
            self.values.append(context.perform_substitution(substitution))

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


def test_a_default_that_is_not_a_choice_is_refused_at_once():
    with pytest.raises(RuntimeError):
        DeclareLaunchArgument("mode", default_value="c", choices=["a", "b"])


def test_a_group_keeps_its_configurations_and_environment_to_itself(recorder):
    def note_environment(context: LaunchContext) -> None:
        recorder.values.append(context.environment.get("PQC_TEST", "unset"))

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


def test_a_group_without_scope_changes_its_surroundings(recorder):
    assert (
        run(
            GroupAction([SetLaunchConfiguration("x", "inside")], scoped=False),
            recorder.record(LaunchConfiguration("x")),
        )
        == 0
    )
    assert recorder.values == ["inside"]


def test_a_group_without_forwarding_sees_only_what_it_is_given(recorder):
    assert (
        run(
            SetLaunchConfiguration("x", "outside"),
            GroupAction(
                [
                    recorder.record(LaunchConfiguration("x", default="nothing")),
                    recorder.record(LaunchConfiguration("y")),
                ],
                forwarding=False,
                launch_configurations={"y": LaunchConfiguration("x")},
            ),
        )
        == 0
    )
    assert recorder.values == ["nothing", "outside"]


def test_conditions_decide_what_is_executed(recorder):
    assert (
        run(
            SetLaunchConfiguration("on", "True"),
            recorder.record(LaunchConfiguration("on"), condition=IfCondition("1")),
            recorder.record(LaunchConfiguration("on"), condition=UnlessCondition("true")),
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


def test_environment_variables_are_appended_prepended_and_removed():
    seen = []
    assert (
        run(
            UnsetEnvironmentVariable("PQC_TEST"),
            AppendEnvironmentVariable("PQC_TEST", "b"),
            AppendEnvironmentVariable("PQC_TEST", "c", separator=","),
            AppendEnvironmentVariable("PQC_TEST", "a", prepend=True, separator=","),
            OpaqueFunction(function=lambda context: seen.append(context.environment["PQC_TEST"])),
            UnsetEnvironmentVariable("PQC_TEST"),
            OpaqueFunction(function=lambda context: seen.append("PQC_TEST" in context.environment)),
        )
        == 0
    )
    assert seen == ["a,b,c", False]


@pytest.fixture
def launch_file(tmp_path):
    path = tmp_path / "included.launch.py"
    path.write_text(
        "from launch import LaunchDescription\n"
        "from launch.actions import DeclareLaunchArgument, SetLaunchConfiguration\n"
        "from launch.substitutions import ThisLaunchFileDir\n"
        "def generate_launch_description():\n"
        "    return LaunchDescription([\n"
        "        DeclareLaunchArgument('needed', description='must be given'),\n"
        "        DeclareLaunchArgument('optional', default_value='x'),\n"
        "        SetLaunchConfiguration('where', ThisLaunchFileDir()),\n"
        "    ])\n"
    )
    return path


def test_an_included_file_gets_its_arguments_and_knows_its_folder(launch_file, recorder):
    assert (
        run(
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(str(launch_file)),
                launch_arguments={"needed": "value"}.items(),
            ),
            recorder.record(LaunchConfiguration("needed")),
            recorder.record(LaunchConfiguration("optional")),
            recorder.record(LaunchConfiguration("where")),
        )
        == 0
    )
    assert recorder.values == ["value", "x", str(launch_file.parent)]


def test_an_included_file_whose_argument_is_missing_fails_the_launch(launch_file):
    assert run(IncludeLaunchDescription(PythonLaunchDescriptionSource(str(launch_file)))) == 1


def test_the_arguments_of_included_files_are_found_without_launching(launch_file):
    description = LaunchDescription(
        [
            DeclareLaunchArgument("own", description="first"),
            IncludeLaunchDescription(PythonLaunchDescriptionSource(str(launch_file))),
            GroupAction([DeclareLaunchArgument("perhaps")], condition=IfCondition("true")),
        ]
    )
    arguments = description.get_launch_arguments()
    assert [argument.name for argument in arguments] == ["own", "needed", "optional", "perhaps"]
    assert [argument._conditionally_included for argument in arguments] == [
        False,
        False,
        False,
        True,
    ]


def test_this_launch_file_dir_outside_of_a_file_fails_the_launch(recorder):
    assert run(recorder.record(ThisLaunchFileDir())) == 1


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
    inner = recorder.record(LaunchConfiguration("x"))
    assert (
        run(
            OpaqueFunction(
                function=lambda context, value: [SetLaunchConfiguration("x", value), inner],
                args=["from args"],
            )
        )
        == 0
    )
    assert recorder.values == ["from args"]


def test_an_exception_while_visiting_fails_the_launch(capfd):
    def fail(context: LaunchContext) -> None:
        raise RuntimeError("out of luck")

    assert run(OpaqueFunction(function=fail)) == 1
