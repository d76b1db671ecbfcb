# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds the core, I/O and programs for another processor and tests them in an emulator. Its libraries are unpacked into
# .dev/cross/, so that they replace none of this machine's.

# cross_target ARCHITECTURE: exports what cross.cmake needs for one of Debian's architectures.
cross_target()
{
  CROSS=$DEV/cross/$1
  export PQC_CROSS_GNU PQC_CROSS_CPU PQC_CROSS_EMULATOR PQC_CROSS_LOADER PQC_CROSS_SYSROOT=$CROSS/sysroot PQC_CROSS_STAGE=$CROSS/stage
  case $1 in
    arm64) PQC_CROSS_GNU=aarch64-linux-gnu PQC_CROSS_CPU=aarch64 PQC_CROSS_EMULATOR=qemu-aarch64 PQC_CROSS_LOADER=ld-linux-aarch64.so.1 ;;
    armhf) PQC_CROSS_GNU=arm-linux-gnueabihf PQC_CROSS_CPU=armv7l PQC_CROSS_EMULATOR=qemu-arm PQC_CROSS_LOADER=ld-linux-armhf.so.3 ;;
    *) die "there is no target '$1'; the targets are arm64 and armhf" ;;
  esac
}

# cross_sysroot ARCHITECTURE FOLDER: unpacks the libraries that the programs and their tests are linked with.
cross_sysroot()
{
  local libraries=libssl-dev,libyaml-cpp-dev,libsodium-dev,libcli11-dev,libexpected-dev,libqrencode-dev,libgtest-dev,libstdc++-12-dev
  rm -rf "$2.partial" && mkdir -p "${2%/*}" &&
    mmdebstrap --variant=extract --architectures="$1" --include="$libraries" \
      --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr bookworm "$2.partial" $(platform_mirror debian12) &&
    mv "$2.partial" "$2"
}

# cross_configure NAME [CMAKE ARGUMENTS]: anew, since CMake would keep what an earlier toolchain file said.
cross_configure()
{
  cmake --fresh -S "$ROOT/src/$1" -B "$CROSS/$1" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$ROOT/setup/cross.cmake" \
    -DCMAKE_INSTALL_PREFIX="$PQC_CROSS_STAGE" \
    -DCMAKE_PREFIX_PATH="$PQC_CROSS_STAGE" -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1 -DNDEBUG" \
    "${@:2}"
}

cross_liboqs()
{
  cross_configure liboqs_vendor -DLIBOQS_VENDOR_ROS=OFF &&
    cmake --build "$CROSS/liboqs_vendor" && cmake --install "$CROSS/liboqs_vendor"
}

# cross_programs TARGET...
cross_programs()
{
  cross_configure pqc_tunnel -DPQC_TUNNEL_ROS=OFF && cmake --build "$CROSS/pqc_tunnel" --target "$@"
}

# This machine's programs of the same sources.
cross_native()
{
  local PLAIN=$NATIVE
  plain_build liboqs_vendor "$NATIVE/stage" -DLIBOQS_VENDOR_ROS=OFF &&
    plain_build pqc_tunnel "$NATIVE/stage" -DPQC_TUNNEL_ROS=OFF -DPQC_TUNNEL_TESTS=OFF
}

# Without sanitizers and fuzzing, tests of memory and of real time that an emulator distorts (PQC_TUNNEL_TESTS_TOGETHER in
# tests.cmake), and those of pqc, which starts programs that only a kernel with binfmt_misc gives to the emulator.
cross_test()
{
  PQC_TEST_EMULATOR=$PQC_CROSS_EMULATOR ctest --test-dir "$CROSS/pqc_tunnel" --exclude-regex '^test_command' \
    --parallel "$(nproc)" --output-on-failure --no-tests=error --repeat until-pass:2 --output-junit "$CROSS/results.xml" "$@"
}

# cross_suites END [SUITE...]: that end runs in the emulator, the other on this machine.
cross_suites()
{
  local drone gcs
  drone=$NATIVE/stage/bin/pqc_tunneld gcs=$drone
  printf -v "$1" '%s %s' "$PQC_CROSS_EMULATOR" "$CROSS/pqc_tunnel/pqc_tunneld"
  unshare --net --map-root-user bash -c 'ip link set lo up && exec "$@"' bash \
    "$ROOT/setup/try_suites.bash" "$NATIVE/stage/bin/pqc" "$drone" "$gcs" "${@:2}"
}

# Cells on two computers in small: the drone's tunnel runs in the emulator.
cross_bed()
{
  local programs=$CROSS/programs
  mkdir -p "$programs" &&
    printf '#!/bin/sh\nexec %s %q "$@"\n' "$PQC_CROSS_EMULATOR" "$CROSS/pqc_tunnel/pqc_tunneld" >"$programs/pqc_tunneld" &&
    chmod +x "$programs/pqc_tunneld" &&
    PQC_TEST_DRONE_PROGRAMS=$programs python3 -m pytest -q --timeout "$TEST_LIMIT_S" "$ROOT/src/pqc_bench/test/testbed/test_two_computers.py"
}

# What --quick tests, as programs of the build: what depends on sizes, alignment and signs of the processor's types.
CROSS_QUICK=(test_base test_crypto_suites test_link_framing test_link_mavlink test_protocol_wire test_protocol_session
  test_config test_identity test_os test_net test_daemon)
# And what of that takes most of the time, for the sake of the protocol alone.
CROSS_QUICK_FILTER='-Adversaries/*:AnchorFiles.*:IdentityFilesOnASmallDisk.*:Links/*:Reload.*:EpochLimit.*:Keys.*:Age.*:PrekeyAge.*:KeyAge.*'

# cross ARCHITECTURE [--quick] [CTEST ARGUMENTS]
cross()
{
  local CROSS NATIVE=$DEV/cross/native targets=(all) suites=() tests=()
  [ $# -gt 0 ] || die "cross needs an architecture: arm64 or armhf"
  cross_target "$1"
  shift
  if [ "${1:-}" = --quick ]; then
    shift
    targets=(pqc_tunneld pqc "${CROSS_QUICK[@]}") suites=(each)
    local -x GTEST_FILTER=$CROSS_QUICK_FILTER
    tests=(--tests-regex "^($(IFS="|" && echo "${CROSS_QUICK[*]}"))(_[0-9]+)?$")
  fi
  make_dev_folder
  setup_packages apt_plain.txt
  setup_named mmdebstrap qemu-user "g++-$PQC_CROSS_GNU"
  [ -d "$PQC_CROSS_SYSROOT" ] || step "unpacking libraries" cross_sysroot "${CROSS##*/}" "$PQC_CROSS_SYSROOT"
  step "building liboqs" cross_liboqs
  step "building the programs and tests" cross_programs "${targets[@]}"
  step "testing them in $PQC_CROSS_EMULATOR" cross_test "${tests[@]}" "$@"
  step "building this machine's programs" cross_native
  step "changing suites with a native ground station" cross_suites drone "${suites[@]}"
  step "changing suites with a native drone" cross_suites gcs "${suites[@]}"
  setup_and build_if_needed && activate || exit
  step "running cells with the drone in $PQC_CROSS_EMULATOR" cross_bed
}
