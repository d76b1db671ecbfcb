# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
# Source this file, then call: underlay_environment VENV INSTALL_PREFIX
# It makes the ROS 2 wheels in VENV and the packages in colcon's INSTALL_PREFIX usable by CMake, C++
# programs and Python. INSTALL_PREFIX need not exist yet.

underlay_environment() {
  local venv install site libraries
  venv=$(realpath -m -- "$1")
  install=$(realpath -m -- "$2")
  site=$(echo "$venv"/lib/python3.*/site-packages)

  # The wheels' libraries have no usable run path, so they find each other only through this variable.
  libraries=$venv/lib
  local folder
  for folder in "$site"/ros_*.libs; do
    libraries+=:$folder
  done

  unset PYTHONHOME
  export VIRTUAL_ENV=$venv
  export ROS_DISTRO=kilted ROS_VERSION=2 ROS_PYTHON_VERSION=3
  PATH=$(underlay_prepend "$venv/bin" "$PATH")
  LD_LIBRARY_PATH=$(underlay_prepend "$libraries" "${LD_LIBRARY_PATH-}")
  AMENT_PREFIX_PATH=$(underlay_prepend "$venv" "${AMENT_PREFIX_PATH-}")
  CMAKE_PREFIX_PATH=$(underlay_prepend "$venv" "${CMAKE_PREFIX_PATH-}")
  PYTHONPATH=$(underlay_prepend "$site" "${PYTHONPATH-}")
  export PATH LD_LIBRARY_PATH AMENT_PREFIX_PATH CMAKE_PREFIX_PATH PYTHONPATH

  if [[ -f $install/local_setup.bash ]]; then
    # colcon's script reads variables that may be unset.
    local flags=$-
    set +u
    # shellcheck disable=SC1091
    source "$install/local_setup.bash"
    [[ $flags == *u* ]] && set -u
  fi
  return 0
}

# Prints the colon-separated list $2 with the entries of $1 in front, unless they are there already.
underlay_prepend() {
  case ":$2:" in
    *":$1:"*) printf '%s' "$2" ;;
    *) printf '%s' "$1${2:+:$2}" ;;
  esac
}
