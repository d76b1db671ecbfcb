#!/usr/bin/env bash
# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs a command in the environment of the distribution and of the workspace.
set -eo pipefail
# shellcheck source=/dev/null
source "/opt/ros/$ROS_DISTRO/setup.bash"
# shellcheck source=/dev/null
source /opt/pqc_mav/local_setup.bash
# shellcheck source=/dev/null
source /opt/pqc_mav/share/pqc_tunnel/config/local_graph.bash
exec "$@"
