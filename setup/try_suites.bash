#!/usr/bin/env bash
# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# try_suites.bash PQC DRONE GROUND [SUITE...|each]: both ends, whose words are separated by spaces, change to each suite in
# flight; without suites to all that the drone has, with `each` to those that have an algorithm which none before had. It
# runs in a network namespace, where every port is free.
set -euo pipefail
pqc=$1 drone=$2 gcs=$3
config=$(dirname -- "${BASH_SOURCE[0]}")/../src/pqc_tunnel/config
shift 3
scratch=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$scratch"' EXIT
export PQC_CONFIG_DIR=$scratch PQC_RUN_DIR=$scratch/run
mkdir -m 700 "$PQC_RUN_DIR"
"$pqc" identity init --out "$scratch/keys" --drone drone1 >/dev/null
for end in drone gcs; do
  sed "s|/etc/pqc/$end|$scratch/keys/${end/drone/drone1}|" "$config/$end.yaml" >"$scratch/$end.yaml"
  # shellcheck disable=SC2086
  ${!end} --config "$scratch/$end.yaml" --control "$PQC_RUN_DIR/$end.sock" -p min_level:=1 -p allow_experimental:=true 2>"$scratch/$end.log" &
done
# The first answers take longer than a second in an emulator.
for _ in $(seq 600); do
  ! "$pqc" show drone --json 2>/dev/null | grep -q '"state": "established"' || break
  sleep 0.1
done
case $* in
  "" | each)
    mapfile -t all < <("$pqc" suites drone | grep -v '  unavailable: ' | cut -d ' ' -f 1 |
      if [ $# -gt 0 ]; then awk -F - '{ new = 0; for (i = 2; i <= NF; i++) new += !seen[$i]++ } new'; else cat; fi)
    set -- "${all[@]}"
    ;;
esac
failed=()
for suite; do
  "$pqc" rekey drone "$suite" || failed+=("$suite")
done
echo "$(($# - ${#failed[@]})) of $# suites"
[ $# -gt 0 ] && [ ${#failed[@]} -eq 0 ] || { tail -n 20 "$scratch"/*.log; exit 1; }
