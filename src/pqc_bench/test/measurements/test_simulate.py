# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
from pqc_bench.bench_command import main


@pytest.mark.parametrize("code", [0, 1])
def test_options_go_to_the_simulator_and_its_exit_code_comes_back(
    tmp_path: Path, code: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PQC_MAV_SOURCE", str(tmp_path))
    (tmp_path / "src" / "pqc_tunnel").mkdir(parents=True)
    program = tmp_path / ".dev" / "build" / "pqc_tunnel" / "pqc_simulate"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\necho "$*"\nexit {code}\n', encoding="utf-8")
    program.chmod(0o755)
    assert main(["simulate", "--seed", "7", "--links", "2", "--adversary"]) == code
    given = "--schedules 1000 --seed 7 --steps 300 --links 2 --adversary\n"
    assert capfd.readouterr().out == given
