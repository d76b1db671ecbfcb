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

# Installs into the packages' folder, in which their environment looks for Python modules.
python_flying()
{
  local place
  place=$(echo "$1"/lib/python3*/site-packages)
  "$VENV/bin/pip" install --disable-pip-version-check --upgrade \
    --target "$place" -r "$ROOT/setup/python_flight.txt" &&
    "$VENV/bin/pip" install --disable-pip-version-check --upgrade --no-deps \
      --target "$place" -r "$ROOT/setup/python_models.txt"
}

install_flying()
{
  local folder
  folder=$(target install "$@") || exit
  has_distribution || die "install needs a sourced ROS 2 distribution"
  setup
  (step "building into $folder" colcon_flying "$folder") || exit
  step "adding Python packages" python_flying "$folder"
}

# cmake_into NAME FOLDER [CMAKE ARGUMENTS]: builds a package without ROS and installs it.
cmake_into()
{
  cmake -S "$ROOT/src/$1" -B "$DEV/build/plain/$1" -G Ninja \
    -DCMAKE_PREFIX_PATH="$2" -DCMAKE_INSTALL_PREFIX="$2" "${@:3}" &&
    cmake --build "$DEV/build/plain/$1" --target install
}

install_plain()
{
  local folder
  folder=$(target plain "$@") || exit
  make_dev_folder
  setup_packages apt_plain.txt
  step "building liboqs" cmake_into liboqs_vendor "$folder" \
    -DCMAKE_BUILD_TYPE=Release -DLIBOQS_VENDOR_ROS=OFF
  step "building the programs" cmake_into pqc_tunnel "$folder" \
    -DPQC_TUNNEL_ROS=OFF -DPQC_TUNNEL_TESTS=OFF -DPQC_TUNNEL_LTO=ON
}
