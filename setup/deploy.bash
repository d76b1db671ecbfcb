# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs the flight packages into a folder that can be copied: for images and machines without ROS.

# target COMMAND [FOLDER]: prints the folder as an absolute path.
target()
{
  [ $# -eq 2 ] || die "$1 needs a folder to install into"
  realpath -m -- "$2"
}

# Uses the system's colcon, so that the nodes run with the system's Python and not with that in .dev.
colcon_flying()
{
  local lab
  mapfile -t lab < <(entries "$ROOT/setup/lab_packages.txt")
  enter_distribution
  colcon_into "$DEV/build/install" "$1" OFF -DLIBOQS_VENDOR_PYTHON=OFF -DPQC_TUNNEL_LTO=ON \
    --packages-skip "${lab[@]}"
}

install_flying()
{
  local folder
  folder=$(target install "$@") || exit
  has_distribution || die "install needs a sourced ROS 2 distribution"
  setup
  (step "building into $folder" colcon_flying "$folder") || exit
}

# plain_build NAME PREFIX [CMAKE ARGUMENTS]: builds a package without ROS; PREFIX is where it will be installed. The others
# find it by what only a compiler needs of it, which that folder may not get.
plain_build()
{
  cmake -S "$ROOT/src/$1" -B "$PLAIN/$1" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG" -DCMAKE_PREFIX_PATH="$PLAIN/stage" \
    -DCMAKE_INSTALL_PREFIX="$2" "${@:3}" &&
    cmake --build "$PLAIN/$1" && cmake --install "$PLAIN/$1" --prefix "$PLAIN/stage"
}

# plain_install FOLDER COMPONENT...
plain_install()
{
  local package component
  for component in "${@:2}"; do
    for package in liboqs_vendor pqc_tunnel pqc_exposure; do
      cmake --install "$PLAIN/$package" --prefix "$1" --component "$component" --strip || return
    done
  done
}

# install_plain FOLDER [--dev]
install_plain()
{
  local word words=() folder components=(programs files) PLAIN=$DEV/build/plain
  for word; do
    if [ "$word" = --dev ]; then components+=(development); else words+=("$word"); fi
  done
  folder=$(target plain "${words[@]}") || exit
  make_dev_folder
  setup_packages apt_plain.txt
  step "building liboqs" plain_build liboqs_vendor "$PLAIN/stage" -DLIBOQS_VENDOR_ROS=OFF
  step "building the programs" plain_build pqc_tunnel "$folder" \
    -DPQC_TUNNEL_ROS=OFF -DPQC_TUNNEL_TESTS=OFF -DPQC_TUNNEL_LTO=ON
  step "building the exposure check" plain_build pqc_exposure "$folder" -DPQC_EXPOSURE_ROS=OFF -DPQC_EXPOSURE_TESTS=OFF
  step "installing into $folder" plain_install "$folder" "${components[@]}"
}
