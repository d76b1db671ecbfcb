#!/bin/bash -eu
# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds the fuzz targets for OSS-Fuzz, in the top folder, with $CC, $CXX, $CFLAGS, $CXXFLAGS and $LIB_FUZZING_ENGINE. $OUT
# gets them with their corpora and libraries, $WORK the rest.
jobs=$(nproc)
tree=$PWD

# Without instrumentation: what it computes is compared by the tests, and slows the fuzzer.
env -u CFLAGS -u CXXFLAGS cmake -S "$tree/src/liboqs_vendor" -B "$WORK/liboqs" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DLIBOQS_VENDOR_ROS=OFF -DLIBOQS_VENDOR_PYTHON=OFF -DCMAKE_INSTALL_PREFIX="$WORK/stage"
cmake --build "$WORK/liboqs" --parallel "$jobs"
cmake --install "$WORK/liboqs"

# The flags say which sanitizer; a target finds libraries beside itself.
cmake -S "$tree/src/pqc_tunnel" -B "$WORK/pqc_tunnel" -G Ninja -DCMAKE_BUILD_TYPE=None -DPQC_TUNNEL_ROS=OFF \
  -DPQC_TUNNEL_FUZZ=ON "-DPQC_TUNNEL_FUZZ_ENGINE=$LIB_FUZZING_ENGINE" "-DCMAKE_PREFIX_PATH=$WORK/stage" \
  '-DCMAKE_BUILD_RPATH=$ORIGIN/lib' -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON
cmake --build "$WORK/pqc_tunnel" --parallel "$jobs" --target fuzz_targets

mkdir -p "$OUT/lib"
for target in "$WORK"/pqc_tunnel/fuzz_*; do
  [ -f "$target" ] && [ -x "$target" ] || continue
  name=${target##*/}
  cp "$target" "$OUT/"
  (cd "$tree/src/pqc_tunnel/fuzz/corpus/${name#fuzz_}" && zip --quiet --junk-paths --recurse-paths "$OUT/${name}_seed_corpus.zip" .)
  LD_LIBRARY_PATH=$WORK/stage/lib ldd "$target" | awk '$1 ~ /^lib(oqs|sodium|crypto|ssl)\./ { print $3 }' |
    xargs --no-run-if-empty cp --update --dereference --target-directory="$OUT/lib"
done
