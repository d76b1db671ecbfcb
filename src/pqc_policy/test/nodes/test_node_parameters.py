# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import rclpy
from pqc_policy.nodes.node_parameters import declare, watch
from pqc_policy.nodes.parameter_files import located, read_given
from pqc_policy.parameters import ParameterFault
from pqc_policy.sensing.advisor_settings import AdvisorSettings
from rclpy.node import Node
from rclpy.parameter import Parameter


@pytest.fixture
def context(tmp_path: Path) -> Iterator[rclpy.Context]:
    context = rclpy.Context()
    yield context
    context.try_shutdown()
    read_given([])


def advisor(context: rclpy.Context, *files: Path) -> Node:
    """Make a node /pqc/advisor that is given these files."""
    words = [word for file in files for word in ("--params-file", str(file))]
    rclpy.init(args=["advisor_node", "--ros-args", *words], context=context)
    read_given(words)
    return Node("advisor", namespace="/pqc", context=context, enable_rosout=False)


def written(folder: Path, name: str, *sections: str, line: str = "attack_score: 1") -> Path:
    file = folder / name
    file.write_text("".join(f'"{one}":\n  ros__parameters:\n    {line}\n' for one in sections))
    return file


@pytest.mark.parametrize(
    "section",
    ["/pqc/advisor", "pqc/advisor", "/**", "/*/advisor", "/**/advisor", "/pqc/*", "/pqc/**"],
)
def test_a_section_applies_where_ros_gives_it_and_a_whole_number_is_a_number(
    context: rclpy.Context, tmp_path: Path, section: str
) -> None:
    settings = declare(advisor(context, written(tmp_path, "p.yaml", section)), AdvisorSettings)
    assert (settings.config.attack_score, type(settings.config.attack_score)) == (1.0, float)


@pytest.mark.parametrize("section", ["advisor", "/advisor", "/uav/advisor", "/**/tunnel", "/*"])
def test_a_file_of_which_nothing_applies_is_one_sentence(
    context: rclpy.Context, tmp_path: Path, section: str
) -> None:
    node = advisor(context, file := written(tmp_path, "p.yaml", section))
    with pytest.raises(ParameterFault) as fault:
        declare(node, AdvisorSettings)
    assert str(fault.value) == (
        f"The parameter file {file} has no section for /pqc/advisor, only for {section}; "
        "name one /**/advisor."
    )


def test_a_file_for_the_nodes_beside_it_or_of_launch_need_not_apply(
    context: rclpy.Context, tmp_path: Path
) -> None:
    beside = written(tmp_path, "preset.yaml", "/**/policy")
    launched = written(tmp_path, "launch_params_x", "/elsewhere/advisor")
    assert declare(advisor(context, beside, launched), AdvisorSettings) == AdvisorSettings()


def test_a_fault_names_the_last_file_and_section_with_its_parameter(
    context: rclpy.Context, tmp_path: Path
) -> None:
    first = written(tmp_path, "first.yaml", "/**/advisor", line="attack_score: -1")
    last = written(tmp_path, "last.yaml", "/**", "/**/policy", line="period_s: 1.0")
    with pytest.raises(ParameterFault) as fault:
        declare(advisor(context, first, last), AdvisorSettings)
    assert located(fault.value).startswith(f"{first}, section /**/advisor: attack_score is -1.0, ")
    assert located(ParameterFault("period_s must go.")).startswith(f"{last}, section /**: ")
    assert located(ParameterFault("Something else.")) == "Something else."


def test_a_whole_number_is_a_number_in_flight_too(context: rclpy.Context) -> None:
    node = advisor(context)
    seen: list[AdvisorSettings] = []
    watch(node, declare(node, AdvisorSettings), seen.append)
    for value, taken in ((1, 1.0), (-4, 1.0), ("1", 1.0), (0.75, 0.75)):
        result = node.set_parameters_atomically([Parameter("attack_score", value=value)])
        assert result.successful == (value == taken)
        assert seen[-1].config.attack_score == taken
        assert node.get_parameter("attack_score").type_ is Parameter.Type.DOUBLE
