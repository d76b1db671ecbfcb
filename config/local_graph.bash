# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Source this file to keep the ROS nodes of a shell on this host, as the launch files do for theirs:
#   source "$(ros2 pkg prefix --share pqc_tunnel)/config/local_graph.bash"
# A middleware profile, or a discovery range other than LOCALHOST, that is already chosen stays as it is.
if [ -z "${FASTDDS_DEFAULT_PROFILES_FILE:-}${FASTRTPS_DEFAULT_PROFILES_FILE:-}" ] &&
  [ "${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}" = LOCALHOST ]; then
  profile=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")/fastdds_local.xml")
  # Jazzy has Fast DDS 2, which reads another variable; Fast DDS 3 warns of it.
  case ${ROS_DISTRO:-} in
    jazzy) export FASTRTPS_DEFAULT_PROFILES_FILE=$profile ;;
    *) export FASTDDS_DEFAULT_PROFILES_FILE=$profile ;;
  esac
  export ROS_AUTOMATIC_DISCOVERY_RANGE=SYSTEM_DEFAULT
  unset profile
fi
