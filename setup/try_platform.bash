#!/usr/bin/env bash
# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# ./dev platforms runs this in a system that has nothing yet: it installs the programs, makes keys and checks them.
set -euo pipefail
cd "$(dirname -- "${BASH_SOURCE[0]}")/.."
./dev plain /opt/pqc
umask 077
mkdir -p /tmp/pqc/run
export PATH=/opt/pqc/bin:$PATH PQC_CONFIG_DIR=/tmp/pqc PQC_RUN_DIR=/tmp/pqc/run
# They would outlive the folder, and keep its ports.
trap 'pqc down drone; pqc down gcs' EXIT
pqc identity init --out /tmp/pqc/keys --drone drone1
for end in drone gcs; do
  sed "s|/etc/pqc/$end|/tmp/pqc/keys/${end/drone/drone1}|" "/opt/pqc/share/pqc_tunnel/config/$end.yaml" >"/tmp/pqc/$end.yaml"
  pqc check "$end"
  pqc up "$end"
done
for _ in $(seq 100); do
  if pqc show drone && pqc show gcs; then
    pqc rekey drone
    exit
  fi
  sleep 0.1
done
exit 1
