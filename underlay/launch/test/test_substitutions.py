# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Substitutions have the value that is described."""

from __future__ import annotations

import pytest
from launch import LaunchContext
from launch.substitutions import (
    AndSubstitution,
    AnySubstitution,
    Command,
    EnvironmentVariable,
    EqualsSubstitution,
    FindExecutable,
    LaunchConfiguration,
    NotEqualsSubstitution,
    NotSubstitution,
    OrSubstitution,
    PathJoinSubstitution,
    PythonExpression,
    SubstitutionFailure,
    TextSubstitution,
)
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions


@pytest.fixture
def context() -> LaunchContext:
    context = LaunchContext()
    context.launch_configurations.update({"name": "talker", "on": "true", "off": "0"})
    return context


def value(context: LaunchContext, *parts) -> str:
    return perform_substitutions(context, normalize_to_list_of_substitutions(parts))


def test_a_list_of_text_and_substitutions_is_joined(context):
    assert value(context, "the ", LaunchConfiguration("name"), TextSubstitution(text="!")) == (
        "the talker!"
    )


def test_anything_else_in_a_list_is_refused():
    with pytest.raises(TypeError):
        normalize_to_list_of_substitutions(["text", 3])


def test_a_launch_configuration_that_is_not_set_has_its_default(context):
    assert value(context, LaunchConfiguration("missing", default=5)) == "5"
    with pytest.raises(SubstitutionFailure):
        value(context, LaunchConfiguration("missing"))


def test_an_environment_variable_that_is_not_set_has_its_default(context, monkeypatch):
    monkeypatch.setenv("PQC_TEST", "here")
    assert value(context, EnvironmentVariable("PQC_TEST")) == "here"
    monkeypatch.delenv("PQC_TEST")
    assert value(context, EnvironmentVariable("PQC_TEST", default_value="gone")) == "gone"
    with pytest.raises(SubstitutionFailure):
        value(context, EnvironmentVariable("PQC_TEST"))


def test_paths_are_joined(context):
    path = PathJoinSubstitution(["/a", LaunchConfiguration("name"), "b.yaml"])
    assert value(context, path) == "/a/talker/b.yaml"


def test_a_python_expression_is_computed_with_names_from_math(context):
    assert value(context, PythonExpression(["'", LaunchConfiguration("name"), "' == 'x'"])) == (
        "False"
    )
    assert value(context, PythonExpression("int(floor(pi))")) == "3"


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("a", "a", "true"),
        ("a", "b", "false"),
        ("1", "true", "true"),
        (True, "False", "false"),
        (1.0, "1", "true"),
        (None, "", "true"),
    ],
)
def test_values_are_compared_by_their_meaning(context, left, right, expected):
    assert value(context, EqualsSubstitution(left, right)) == expected
    opposite = {"true": "false", "false": "true"}[expected]
    assert value(context, NotEqualsSubstitution(left, right)) == opposite


def test_booleans_are_combined(context):
    on, off = LaunchConfiguration("on"), LaunchConfiguration("off")
    assert value(context, AndSubstitution(on, off)) == "false"
    assert value(context, OrSubstitution(on, off)) == "true"
    assert value(context, NotSubstitution(off)) == "true"
    assert value(context, AnySubstitution(off, off, on)) == "true"
    with pytest.raises(SubstitutionFailure):
        value(context, NotSubstitution("perhaps"))


def test_a_command_has_its_output_and_a_failing_one_fails(context):
    assert value(context, Command("echo hello")).strip() == "hello"
    with pytest.raises(SubstitutionFailure):
        value(context, Command("false"))
    with pytest.raises(SubstitutionFailure):
        value(context, Command("no-such-command-anywhere"))


def test_an_executable_is_found_on_the_path(context):
    assert value(context, FindExecutable(name="sh")).endswith("/sh")
    with pytest.raises(SubstitutionFailure):
        value(context, FindExecutable(name="no-such-command-anywhere"))
