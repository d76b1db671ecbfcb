# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Loads beside the tunnel: stand-ins for the detectors of attacks that a drone may carry.

A scenario's load is one program, and a real detector can take its place. The program

- is started with whatever arguments of its own it has, and `--summary FILE` after them,
- works, with whatever processes of its own, until SIGTERM or SIGINT, and then ends with 0,
- replaces FILE about once a second by a JSON object with at least `reached_cpu_percent` (of the
  whole machine, since its start), `reached_memory_mib` (resident, all its processes) and `faults`
  (a list of sentences; empty if it is what it means to be), and a last time before it ends;
  `target_cpu_percent`, `target_memory_mib`, `waited_cpu_percent` and `seconds` are taken in, too.

`python -m pqc_bench.load light|heavy` are the stand-ins: as much CPU and memory as the detectors
of the PQC-MAV papers, and the same kind of arithmetic, but nothing is detected.
"""
