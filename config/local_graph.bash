# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Source this file to keep the ROS nodes of a shell on this host, as the launch files do for theirs:
#   source "$(ros2 pkg prefix --share pqc_tunnel)/config/local_graph.bash"
# A configuration of the middleware, or a discovery range other than LOCALHOST, that is already chosen
# stays as it is. launch/environment.launch.py has the same rules; a test compares both.
local_graph()
{
  local config range=SYSTEM_DEFAULT
  config=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")")
  [ "${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}" = LOCALHOST ] || return 0
  case ${RMW_IMPLEMENTATION:-rmw_fastrtps_cpp} in
    rmw_fastrtps*)
      if [ -n "${FASTDDS_DEFAULT_PROFILES_FILE:-}${FASTRTPS_DEFAULT_PROFILES_FILE:-}" ]; then
        range=LOCALHOST
      elif [ "${ROS_DISTRO:-}" = jazzy ]; then
        export FASTRTPS_DEFAULT_PROFILES_FILE=$config/fastdds_local.xml
      else
        export FASTDDS_DEFAULT_PROFILES_FILE=$config/fastdds_local.xml
      fi
      ;;
    rmw_cyclonedds*)
      if [ -n "${CYCLONEDDS_URI:-}" ]; then
        range=LOCALHOST
      else
        export CYCLONEDDS_URI=file://$config/cyclonedds_local.xml
      fi
      ;;
    rmw_zenoh*)
      range=LOCALHOST
      if [ -z "${ZENOH_CONFIG_OVERRIDE:-}${ZENOH_SESSION_CONFIG_URI:-}${ZENOH_ROUTER_CONFIG_URI:-}" ]; then
        ZENOH_CONFIG_OVERRIDE='listen/endpoints={router:["tcp/127.0.0.1:7447"],peer:["tcp/127.0.0.1:0"]};'
        ZENOH_CONFIG_OVERRIDE+='connect/endpoints={peer:["tcp/127.0.0.1:7447"]};scouting/multicast/enabled=false'
        export ZENOH_CONFIG_OVERRIDE
      fi
      ;;
    *) range=LOCALHOST ;;
  esac
  export ROS_AUTOMATIC_DISCOVERY_RANGE=$range
}
local_graph
unset -f local_graph
