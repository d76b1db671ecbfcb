# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs Verifpal, which cargo builds into .dev/ at first use."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault

from pqc_bench.formal.expectations import HOLDS, Outcome, VerifpalRun

_VERSION = "1.6.7"
_INSTALL_SECONDS = 3600
_VERIFY_SECONDS = 900


def verifpal_program(dev: Path) -> Path:
    """Return the program, after building it if it isn't there."""
    root = dev / f"verifpal-{_VERSION}"
    program = root / "bin" / "verifpal"
    if program.is_file():
        return program
    search = os.pathsep.join([os.environ.get("PATH", ""), str(Path.home() / ".cargo" / "bin")])
    cargo = shutil.which("cargo", path=search)
    if cargo is None:
        raise RunFault("Verifpal is built by cargo, which is not installed: run './dev setup'")
    print(f"building Verifpal {_VERSION} (once; some minutes)", flush=True)
    command = [
        cargo, "install", "verifpal", "--version", _VERSION, "--ignore-rust-version", "--locked",
        "--root", str(root), "--target-dir", str(dev / "verifpal-build"),
    ]  # fmt: skip
    try:
        done = subprocess.run(command, timeout=_INSTALL_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise RunFault(f"building Verifpal took longer than {_INSTALL_SECONDS} s") from error
    shutil.rmtree(dev / "verifpal-build", ignore_errors=True)
    if done.returncode != 0 or not program.is_file():
        raise RunFault("cargo could not build Verifpal; its messages are above")
    return program


def run_verifpal(program: Path, run: VerifpalRun, models: Path, scratch: Path) -> Outcome:
    """Verify one variant of a model; its files go to `scratch`."""
    scratch.mkdir(parents=True, exist_ok=True)
    variant = scratch / f"{run.name}.vp"
    variant.write_text(_preprocessed(models / run.model, run.define))
    try:
        done = subprocess.run(
            [str(program), "verify", "--format", "json", str(variant)],
            capture_output=True, text=True, timeout=_VERIFY_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Outcome("no verdict", "it took too long")
    variant.with_suffix(".json").write_text(done.stdout)
    try:
        model = json.loads(done.stdout)["models"][0]
        queries = {entry["query"]: entry["resolved"] for entry in model["analysis"]["queries"]}
    except (json.JSONDecodeError, KeyError, IndexError, TypeError):
        lines = (done.stdout + done.stderr).strip().splitlines()
        output = lines[0] if lines else "nothing"
        return Outcome("no verdict", f"Verifpal printed: {output}")
    broken = {query for query, attacked in queries.items() if attacked}
    missing = run.broken - queries.keys()
    wrong = [
        *(f"not asked: {query}" for query in sorted(missing)),
        *(f"should hold: {query}" for query in sorted(broken - run.broken)),
        *(f"should be broken: {query}" for query in sorted(run.broken - broken - missing)),
    ]
    verdict = HOLDS if not broken else f"{len(broken)} of {len(queries)} broken"
    return Outcome(verdict, "; ".join(wrong))


def _preprocessed(model: Path, define: Sequence[str]) -> str:
    command = ["cpp", "-P", "-undef", "-traditional-cpp", *(f"-D{one}" for one in define)]
    done = subprocess.run([*command, str(model)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RunFault(f"{model.name} can't be preprocessed: {done.stderr.strip()}")
    return done.stdout
