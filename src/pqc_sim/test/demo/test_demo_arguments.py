# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments and surroundings of the demonstration."""

from __future__ import annotations

import subprocess

import pytest
from demo_runs import SOURCES, demo


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--seconds", "-1"], "argument --seconds: '-1' isn't a number of seconds above 0"),
        (["--seconds", "0"], "argument --seconds: '0' isn't a number of seconds above 0"),
        (["--flight", "hto"], "argument --flight: invalid choice: 'hto' (choose from "),
        (["--strategy", "expert"], "--strategy needs --flight"),
        (["--link-seed", "3"], "--link-seed needs --link"),
        (
            ["--suite", "cs-mlkem769-aesgcm-mldsa65"],
            "there is no suite 'cs-mlkem769-aesgcm-mldsa65'; "
            "did you mean cs-mlkem768-aesgcm-mldsa65?",
        ),
        (
            ["--suite", "cs-hqc192-aesgcm-mldsa65"],
            "cs-hqc192-aesgcm-mldsa65 is experimental; did you mean cs-",
        ),
        (["--links", "lte+fax"], "'fax' is no file, and none of the links none, "),
        (["--links", "lte+"], "'' is no link; examples are lte, satellite and radio\n"),
        (["--links", "lte+lte"], "the link lte is named twice\n"),
        (["--links", "lte", "--flight", "hot"], "--links can't be used with --link or --flight, "),
        (["--schedule", "redundant"], "--schedule needs --links: "),
        (["--link", "sik-57600"], "'sik-57600' carries packets of at most 252 bytes, as a serial "),
        (["--link", "radio"], "'radio' is no file, and none of the links none, "),
        (["--summary", "/no/such/x"], "there is no folder '/no/such' to write to\n"),
        (["--summary", "/tmp"], "'/tmp' is a folder; name a file in it\n"),
        (["--keep-log", "/proc/x"], "'/proc/x' can't be written: "),
        (["--frobnicate"], "unrecognized arguments: --frobnicate\n"),
    ],
)
def test_a_bad_argument_is_one_sentence_before_anything_starts(
    arguments: list[str], sentence: str
) -> None:
    run = demo(*arguments)
    assert run.returncode == 2
    assert run.stderr.startswith(f"demo: {sentence}")
    assert run.stderr.count("\n") == 1
    assert run.stdout == ""


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"TMPDIR": "/nowhere"}, "no temporary file can be written in '/nowhere', which TMPDIR"),
        ({"ROS_DOMAIN_ID": "nine"}, "ROS_DOMAIN_ID is 'nine', which is no number from 0 to 232"),
    ],
)
def test_a_bad_environment_is_one_sentence(environment: dict[str, str], sentence: str) -> None:
    run = demo("--seconds", "5", **environment)
    assert run.returncode in (1, 2)
    assert run.stderr.startswith(f"demo: {sentence}")
    assert run.stderr.count("\n") == 1


HELP = """
import sys
sys.path[:0] = sys.argv[1:]
sys.argv[1:] = ["--help"]
from pqc_sim.demo.demo_command import main
main()
"""


def test_help_needs_the_sources_and_neither_ros_nor_installed_packages() -> None:
    sources = (SOURCES, *map(SOURCES.with_name, ("pqc_policy", "pqc_testing")))
    run = subprocess.run(
        ["/usr/bin/python3", "-S", "-E", "-c", HELP, *map(str, sources)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--flight NAME" in run.stdout
