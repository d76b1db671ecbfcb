# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The code of the tutorials does what they say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
TUTORIALS = HERE.parents[2] / "docs" / "tutorials"
if not TUTORIALS.is_dir():
    pytest.skip("needs the source tree", allow_module_level=True)

USE = """
from flight import policy_with, take_off
from pqc_policy.sensing.detectors.advisor import AdvisorState
from pqc_policy.sensing.advisor_settings import AdvisorSettings
from pqc_policy.sensing.traffic.bins import Bin

policy = policy_with(strategy="cautious")
flight = take_off(policy, suite="cs-mlkem1024-aesgcm-mldsa87")
flight.fly(5)
decision = flight.step(temperature_c=60.1)
print(decision.action, decision.rule, policy.config.cooldown_s)
advisor, missing = AdvisorSettings(further_detectors=("slow_round_trip",)).make_advisor()
state = AdvisorState()
for _ in range(12):
    state = advisor.judged(state, Bin(rtt_s=2.5))
print(missing, state.verdict.name, state.worst[1].kind)
"""


def code(tutorial: str) -> list[str]:
    text = (TUTORIALS / f"{tutorial}.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the packages and modules in a folder before all others."""
    # The options of the tests around this one are not those of a pytest in it.
    env = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**env, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )


def edit(file: Path, change: Callable[[str], str]) -> None:
    file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")


def replaced(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


def test_the_rule_of_the_tutorial_passes_its_test(tmp_path: Path) -> None:
    test, parameter, rule, table = code("add-a-policy-rule")
    shutil.copytree(HERE.parent / "pqc_policy", tmp_path / "pqc_policy")
    for name in ("flight.py", "policy/test_rules.py"):
        shutil.copy(HERE / name, tmp_path)
    edit(tmp_path / "test_rules.py", lambda text: f"{text}\n\n{test}")
    plugins = ("launch_testing", "launch_ros", "launch_pytest", "cacheprovider", "xdist")
    words = ["-m", "pytest", "-q", "test_rules.py", "-k", "below_20_percent"]
    words += [f"-pno:{name}" for name in plugins]
    ended = run(tmp_path, *words)
    assert "1 failed, 2 passed" in ended.stdout, ended.stdout

    policy = tmp_path / "pqc_policy" / "policy"
    field = "    link_loss: float ="  # the one after link_gap_s
    edit(policy / "config.py", lambda text: replaced(text, field, parameter + field))
    (policy / "wishes" / "low_charge.py").write_text(rule, encoding="utf-8")
    own_import, own_line = table.strip().split("\n\n")
    line = replaced(own_line, "low_charge, ", "")
    strategy = policy / "strategies" / "telemetry_aware.py"
    edit(strategy, lambda text: replaced(text, line, f"{own_import}\n\n{own_line}"))
    ended = run(tmp_path, *words)
    assert "3 passed" in ended.stdout, ended.stdout


def test_the_package_of_the_tutorial_adds_a_strategy_and_a_detector(tmp_path: Path) -> None:
    names = ("setup.py", "lab_strategy.py", "lab_detector.py")
    for name, block in zip(names, code("add-a-strategy-or-detector"), strict=True):
        (tmp_path / name).write_text(block, encoding="utf-8")
    shutil.copy(HERE / "flight.py", tmp_path)
    made = run(tmp_path, "setup.py", "-q", "egg_info")
    assert made.returncode == 0, made.stderr
    used = run(tmp_path, "-c", USE)
    assert used.returncode == 0, used.stderr
    assert used.stdout.splitlines() == ["DOWN warm 30.0", "() ATTACK timing"]
