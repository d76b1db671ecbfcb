# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Fresh keys for both ends, made by `pqc identity`."""

from __future__ import annotations

import subprocess
from pathlib import Path

from pqc_sim.pair.parameters import DRONE
from pqc_sim.pair.programs import tunnel_program
from pqc_sim.processes.run_fault import RunFault


def make_identities(
    keys: Path, *, signatures: str = "", program: Path | None = None, one_time_keys: int = 0
) -> Path:
    """Make keys for one drone and one ground station; return their folder.

    `signatures` is the option of `pqc identity init`; empty for its default. Without one-time keys
    there is no anchor, whose keys take 0.1 s each. `program` is `pqc` of another build, which may
    not know the anchor. RunFault if it fails.
    """
    pqc = str(program or tunnel_program("pqc"))
    command = [pqc, "identity", "init", "--out", str(keys), "--drone", DRONE]
    command += ["--signatures", signatures] if signatures else []
    if one_time_keys:
        command += ["--one-time", str(one_time_keys)]
    elif program is None:
        command += ["--anchor", "none"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        words = done.stderr.strip().splitlines() or ["no reason was given"]
        raise RunFault(f"pqc identity failed: {words[-1]}")
    return keys
