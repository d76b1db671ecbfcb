# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Source this file to keep the ROS nodes of a shell on this host, as the launch files do for theirs:
#   source "$(ros2 pkg prefix --share pqc_tunnel)/config/local_graph.bash"
# A configuration of the middleware, or a discovery range other than LOCALHOST, that is already chosen
# stays as it is. launch/environment.launch.py has the same rules; a test compares both.
local_graph()
{
  local config range=LOCALHOST
  config=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")")
  [ "${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}" = LOCALHOST ] || return 0
  # The variables of every middleware: another one may be chosen later in the same shell.
  if [ -z "${FASTDDS_DEFAULT_PROFILES_FILE:-}${FASTRTPS_DEFAULT_PROFILES_FILE:-}" ]; then
    case ${ROS_DISTRO:-} in
      jazzy) export FASTRTPS_DEFAULT_PROFILES_FILE=$config/fastdds_local.xml ;;
      *) export FASTDDS_DEFAULT_PROFILES_FILE=$config/fastdds_local.xml ;;
    esac
    [ "${RMW_IMPLEMENTATION:-rmw_fastrtps_cpp}" != rmw_fastrtps_cpp ] || range=SYSTEM_DEFAULT
  fi
  if [ -z "${CYCLONEDDS_URI:-}" ]; then
    export CYCLONEDDS_URI=file://$config/cyclonedds_local.xml
    [ "${RMW_IMPLEMENTATION:-}" != rmw_cyclonedds_cpp ] || range=SYSTEM_DEFAULT
  fi
  if [ -z "${ZENOH_CONFIG_OVERRIDE:-}${ZENOH_SESSION_CONFIG_URI:-}${ZENOH_ROUTER_CONFIG_URI:-}" ]; then
    ZENOH_CONFIG_OVERRIDE='listen/endpoints={router:["tcp/127.0.0.1:7447"],peer:["tcp/127.0.0.1:0"]};'
    ZENOH_CONFIG_OVERRIDE+='connect/endpoints={peer:["tcp/127.0.0.1:7447"]};scouting/multicast/enabled=false'
    export ZENOH_CONFIG_OVERRIDE
  fi
  export ROS_AUTOMATIC_DISCOVERY_RANGE=$range
}
local_graph
unset -f local_graph
