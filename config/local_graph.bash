# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Source this file to keep the ROS nodes of a shell on this host, as the launch files do for theirs:
#   source "$(ros2 pkg prefix --share pqc_tunnel)/config/local_graph.bash"
# A middleware profile, or a discovery range other than LOCALHOST, that is already chosen stays as it is.
if [ -z "${FASTDDS_DEFAULT_PROFILES_FILE:-}${FASTRTPS_DEFAULT_PROFILES_FILE:-}" ] &&
  [ "${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}" = LOCALHOST ]; then
  # Fast DDS 3 (Kilted) reads the first, Fast DDS 2 (Jazzy) the second.
  FASTDDS_DEFAULT_PROFILES_FILE=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")/fastdds_local.xml")
  FASTRTPS_DEFAULT_PROFILES_FILE=$FASTDDS_DEFAULT_PROFILES_FILE
  ROS_AUTOMATIC_DISCOVERY_RANGE=SYSTEM_DEFAULT
  export FASTDDS_DEFAULT_PROFILES_FILE FASTRTPS_DEFAULT_PROFILES_FILE ROS_AUTOMATIC_DISCOVERY_RANGE
fi
