#!/usr/bin/env bash
# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# planted_mistakes.bash apply SRC COPIES: copies the sources that the patch names, and patches the copies.
# planted_mistakes.bash refresh SRC COPIES: writes the patch anew from the differences of the copies.
set -euo pipefail

src=$2 copies=$3
patch_file=$(dirname "$0")/planted_mistakes.patch
names=$(sed -n 's,^+++ b/,,p' "$patch_file")

apply()
{
  local name
  rm -rf "$copies"
  for name in $names; do
    install -D -m 644 "$src/$name" "$copies/$name"
  done
  patch --silent --fuzz=0 --strip 1 --directory "$copies" --no-backup-if-mismatch <"$patch_file" && return
  names=$(find "$copies" -name '*.rej' -printf ' src/%P' | sed 's/\.rej//g')
  echo "test/simulator/planted_mistakes.patch no longer applies to${names:- its sources};" \
    "test/simulator/README.md shows how to refresh it." >&2
  return 1
}

refresh()
{
  local name
  for name in $names; do
    diff -u --suppress-blank-empty --label "a/$name" --label "b/$name" "$src/$name" "$copies/$name" || [ $? = 1 ]
  done >"$copies/new.patch"
  mv "$copies/new.patch" "$patch_file"
}

"$1"
