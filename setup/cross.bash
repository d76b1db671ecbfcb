# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds the core, I/O and programs for another processor and tests them in an emulator. Its libraries are unpacked into
# .dev/cross/, so that they replace none of this machine's.

# cross_target ARCHITECTURE: exports what cross.cmake needs for one of Debian's architectures.
cross_target()
{
  CROSS=$DEV/cross/$1
  export PQC_CROSS_GNU PQC_CROSS_CPU PQC_CROSS_EMULATOR PQC_CROSS_SYSROOT=$CROSS/sysroot PQC_CROSS_STAGE=$CROSS/stage
  case $1 in
    arm64) PQC_CROSS_GNU=aarch64-linux-gnu PQC_CROSS_CPU=aarch64 PQC_CROSS_EMULATOR=qemu-aarch64 ;;
    armhf) PQC_CROSS_GNU=arm-linux-gnueabihf PQC_CROSS_CPU=armv7l PQC_CROSS_EMULATOR=qemu-arm ;;
    *) die "there is no target '$1'; the targets are arm64 and armhf" ;;
  esac
}

# cross_sysroot ARCHITECTURE FOLDER: unpacks the libraries that the programs and their tests are linked with.
cross_sysroot()
{
  local libraries=libssl-dev,libyaml-cpp-dev,libsodium-dev,libcli11-dev,libexpected-dev,libgtest-dev,libstdc++-12-dev
  rm -rf "$2.partial" && mkdir -p "${2%/*}" &&
    mmdebstrap --variant=extract --architectures="$1" --include="$libraries" \
      --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr bookworm "$2.partial" $(platform_mirror debian12) &&
    mv "$2.partial" "$2"
}

# cross_build NAME [CMAKE ARGUMENTS]
cross_build()
{
  cmake -S "$ROOT/src/$1" -B "$CROSS/$1" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$ROOT/setup/cross.cmake" \
    -DCMAKE_INSTALL_PREFIX="$PQC_CROSS_STAGE" \
    -DCMAKE_PREFIX_PATH="$PQC_CROSS_STAGE" -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1 -DNDEBUG" \
    "${@:2}" && cmake --build "$CROSS/$1" && cmake --install "$CROSS/$1"
}

cross_test()
{
  PQC_TEST_EMULATOR="$PQC_CROSS_EMULATOR -L $PQC_CROSS_SYSROOT" ctest --test-dir "$CROSS/pqc_tunnel" \
    --parallel "$(nproc)" --output-on-failure --no-tests=error --repeat until-pass:2 --output-junit "$CROSS/results.xml" "$@"
}

# cross_suites END: that end runs in the emulator, the other on this machine.
cross_suites()
{
  local native=$INSTALL/bin drone gcs
  drone=$native/pqc_tunneld gcs=$native/pqc_tunneld
  printf -v "$1" '%s -L %s %s' "$PQC_CROSS_EMULATOR" "$PQC_CROSS_SYSROOT" "$PQC_CROSS_STAGE/bin/pqc_tunneld"
  unshare --net --map-root-user bash -c 'ip link set lo up && exec "$@"' bash \
    "$ROOT/setup/try_suites.bash" "$native/pqc" "$drone" "$gcs"
}

# cross ARCHITECTURE [CTEST ARGUMENTS]
cross()
{
  local CROSS
  [ $# -gt 0 ] || die "cross needs an architecture: arm64 or armhf"
  cross_target "$1"
  make_dev_folder
  setup_packages apt_plain.txt
  setup_named mmdebstrap qemu-user "g++-$PQC_CROSS_GNU"
  [ -d "$PQC_CROSS_SYSROOT" ] || step "unpacking libraries for $1" cross_sysroot "$1" "$PQC_CROSS_SYSROOT"
  step "building liboqs for $1" cross_build liboqs_vendor -DLIBOQS_VENDOR_ROS=OFF
  step "building the programs and tests for $1" cross_build pqc_tunnel -DPQC_TUNNEL_ROS=OFF
  step "testing them in $PQC_CROSS_EMULATOR" cross_test "${@:2}"
  step "changing suites with a native ground station" cross_suites drone
  step "changing suites with a native drone" cross_suites gcs
}
