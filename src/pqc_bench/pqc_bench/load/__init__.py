# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""CPU and memory that something beside the tunnel uses: stress-ng, or a detector of attacks.

The load of a scenario is one program:

- is started with its own arguments, followed by `--summary FILE`,
- prints a line when it is at work, works until SIGTERM or SIGINT, and then exits with 0,
- replaces FILE about once a second, and before it exits, with a JSON object. Required members:
  `reached_cpu_percent` (of the whole machine, since the start), `reached_memory_mib` (resident, all
  processes) and `faults` (a list of sentences; empty if the load is as intended). Optional:
  `target_cpu_percent`, `target_memory_mib`, `waited_cpu_percent`, `seconds`.

`python -m pqc_bench.load light|heavy` stands in for the detectors in the PQC-MAV papers: stress-ng
with their CPU share and memory. `python -m pqc_bench.load.detector NAME` is the advisor node with a
detector of this project, or that detector without ROS.
"""

# The folder of models beside the packages, where these are copied to another computer.
MODELS = "models"
