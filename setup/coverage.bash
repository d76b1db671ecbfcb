# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Tells which lines, and in C++ which branches, the tests of a package reach. The nodes of C++ packages are not among them.

# coverage [PACKAGE...]
coverage()
{
  local name report=$DEV/coverage known=(pqc_tunnel pqc_exposure pqc_tools pqc_policy pqc_reference pqc_sim pqc_learning)
  [ $# -gt 0 ] || set -- "${known[@]}"
  for name; do
    [[ " ${known[*]} " == *" $name "* ]] || die "no coverage of '$name'; the packages are ${known[*]}"
  done
  setup_and build_if_needed && activate || exit
  mkdir -p "$report"
  for name; do
    if [ -f "$ROOT/src/$name/CMakeLists.txt" ]; then
      step "building $name for coverage" coverage_build "$name"
      step "testing $name" coverage_test "$name"
    else
      step "testing $name" coverage_of_python "$name"
    fi
  done
  printf '%-36s %8s %8s %9s\n' "" lines reached branches
  for name; do cat "$report/$name.txt"; done
}

coverage_build()
{
  local option=${1^^}
  cmake -S "$ROOT/src/$1" -B "$DEV/build/coverage/$1" -G Ninja "-D${option}_ROS=OFF" -DCMAKE_BUILD_TYPE=None \
    "-DCMAKE_CXX_FLAGS=-Og -g1 --coverage -fprofile-update=atomic" -DCMAKE_PREFIX_PATH="$INSTALL" &&
    cmake --build "$DEV/build/coverage/$1"
}

# coverage_test PACKAGE: a test that fails, as one may that measures time, does not end it. Tests may compile a file of the
# package anew, with another option.
coverage_test()
{
  local build=$DEV/build/coverage/$1
  find "$build" -name '*.gcda' -delete
  ctest --test-dir "$build" --parallel "$BESIDE" --no-tests=error --repeat until-pass:2 || echo "some tests failed"
  (cd "$build" && "$VENV/bin/gcovr" --root "$ROOT/src/$1" --filter "$ROOT/src/$1/(?!test|fuzz)" --object-directory "$build" "$build" \
    --gcov-ignore-parse-errors=all --merge-mode-functions=merge-use-line-min --exclude-throw-branches --csv "$DEV/coverage/$1.csv") &&
    awk -F , -v package="$1" '
      function count(name) { lines[name] += $2; covered[name] += $3; branches[name] += $5; taken[name] += $6 }
      NR > 1 {
        count(package)
        folder = $1
        if (sub("^src/", "/", folder) && sub("/[^/]*$", "", folder) && folder) count(package folder)
      }
      END {
        for (name in lines) if (lines[name])
          printf "%-36s %8d %7.1f%% %8.1f%%\n", name, lines[name], 100 * covered[name] / lines[name],
            branches[name] ? 100 * taken[name] / branches[name] : 100
      }' "$DEV/coverage/$1.csv" | LC_ALL=C sort >"$DEV/coverage/$1.txt"
}

# coverage_of_python PACKAGE: with the programs that its tests start, without copies of it that they make.
coverage_of_python()
{
  local data=$DEV/coverage/$1.data
  rm -f "$data"*
  printf '[run]\nsource_pkgs = %s\nparallel = true\npatch = subprocess\ndata_file = %s\n' "$1" "$data" >"$DEV/coverage/$1.ini"
  cd "$ROOT/src/$1" &&
    { "$VENV/bin/coverage" run --rcfile "$DEV/coverage/$1.ini" -m pytest -q --timeout "$TEST_LIMIT_S" test || echo "some tests failed"; } &&
    "$VENV/bin/coverage" combine --quiet --rcfile "$DEV/coverage/$1.ini" &&
    "$VENV/bin/coverage" report --rcfile "$DEV/coverage/$1.ini" --include "$PWD/*" |
    awk -v package="$1" '$1 == "TOTAL" { printf "%-36s %8d %7.1f%%\n", package, $2, 100 * ($2 - $3) / $2 }' >"$DEV/coverage/$1.txt"
}
