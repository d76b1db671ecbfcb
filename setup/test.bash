# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs lint and every test: the packages with colcon, the C++ core and engine under sanitizers.

lint() { "$VENV/bin/python" "$ROOT/setup/lint.py" --root "$ROOT" --build "$DEV/build" "$@"; }

colcon_test()
{
  local paths
  mapfile -t paths < <(package_paths)
  cd "$ROOT"
  colcon --log-base "$LOG/colcon" test --merge-install \
    --build-base "$DEV/build" --install-base "$INSTALL" --paths "${paths[@]}" \
    --executor sequential --event-handlers console_cohesion+ \
    --ctest-args -j "$(nproc)" --retest-until-pass 1 --return-code-on-test-failure "$@"
}

# The tests of these packages mostly wait for processes: test files run in parallel.
WAITING=(pqc_policy pqc_sim pqc_reference pqc_bench)

test_packages()
{
  local code=0
  colcon_test --packages-skip "${WAITING[@]}" || code=$?
  colcon_test --packages-select "${WAITING[@]}" --pytest-args -rR -n "$(nproc)" --dist loadfile || code=$?
  return $code
}

# sanitized_build KIND TARGET...: builds the ROS-free tests with a sanitizer. Clang takes a third of
# gcc's time, and the code is checked by a second compiler.
sanitized_build()
{
  local kind=$1 fuzz=OFF
  # The tests under ASan include the fuzz targets: their corpora and two seconds of fuzzing.
  [ "$kind" = address ] && fuzz=ON
  cmake -S "$ROOT/src/pqc_tunnel" -B "$DEV/build/$kind" -G Ninja -DPQC_TUNNEL_ROS=OFF \
    -DPQC_TUNNEL_SANITIZE="$kind" -DPQC_TUNNEL_FUZZ="$fuzz" -DCMAKE_PREFIX_PATH="$INSTALL" \
    -DCMAKE_CXX_COMPILER=clang++-14 "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1 -DNDEBUG"
  cmake --build "$DEV/build/$kind" --target "${@:2}"
}

# Builds the lab's programs with the libraries of sanitized_build.
sanitized_tools_build()
{
  local kind=$1
  cmake --install "$DEV/build/$kind" --prefix "$DEV/build/$kind/installed" &&
    cmake -S "$ROOT/src/pqc_tools" -B "$DEV/build/$kind-tools" -G Ninja -DPQC_TOOLS_ROS=OFF \
      -DPQC_TOOLS_SANITIZE="$kind" "-DCMAKE_PREFIX_PATH=$DEV/build/$kind/installed;$INSTALL" \
      -DCMAKE_CXX_COMPILER=clang++-14 "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1 -DNDEBUG" &&
    cmake --build "$DEV/build/$kind-tools"
}

sanitized_test()
{
  local build=$DEV/build/$1
  ctest --test-dir "$build" --parallel "$(nproc)" --output-on-failure --no-tests=error \
    --repeat until-pass:2 \
    --output-junit "$build/results.xml" "${@:2}"
}

sanitized_tools_test() { sanitized_tools_build "$1" && sanitized_test "$1-tools"; }

# Later steps run even if one fails, so that one run reports all failures.
run_step()
{
  local text=$1 start=$SECONDS
  shift
  say "== $text"
  if "$@"; then
    passed=$((passed + 1))
    say "   passed ($((SECONDS - start)) s)"
  else
    failures+=("$text")
    say "   FAILED ($((SECONDS - start)) s)"
  fi
}

lint_in_background()
{
  renice -n 19 "$BASHPID" >/dev/null
  lint >"$LOG/test-lint.txt" 2>&1 </dev/null
}

result_of_lint()
{
  local code=0
  wait "$1" || code=$?
  cat "$LOG/test-lint.txt"
  return $code
}

# Reports the tests that passed only at the second try (docs/decisions/0008).
report_second_tries()
{
  sed -nE 's/^RERUN ([^ ]+).*/\1/p; s/^.*Test +#[0-9]+: ([^ ]+) .*\*\*\*.*/\1/p' "$1" | sort -u |
    sed 's/^/   passed only at the second try: /'
}

# quiet NAME COMMAND...: runs a command with its output in a log file; shows the end of it on failure.
quiet()
{
  local log=$LOG/test-$1.txt
  shift
  if "$@" >"$log" 2>&1 </dev/null; then
    report_second_tries "$log"
    return
  fi
  tail -n 60 "$log"
  say "   the whole output is in ${log#"$ROOT/"}"
  return 1
}

run_tests()
{
  local passed=0 failures=() linting summary
  alone setup_and build_tests_if_needed
  activate
  exec 8>"$DEV/test.lock"
  flock --nonblock 8 || die "another ./dev test runs in this checkout"
  # Results of a former run would hide that no test ran.
  colcon test-result --test-result-base "$DEV/build" --delete-yes >/dev/null 2>&1 || true
  if [ $# -gt 0 ]; then
    run_step "tests of $*" colcon_test --packages-select "$@"
  else
    # Lint runs beside the package tests, which mostly wait, at a lower priority.
    lint_in_background &
    linting=$!
    run_step "package tests" quiet packages test_packages
    run_step "lint" result_of_lint "$linting"
    run_step "build under ASan and UBSan" quiet build-address sanitized_build address all
    run_step "core and I/O tests under ASan and UBSan" quiet address sanitized_test address
    run_step "the lab's programs under ASan and UBSan" quiet tools sanitized_tools_test address
    run_step "build under TSan" quiet build-thread sanitized_build thread thread_tests
    run_step "engine tests under TSan" quiet thread sanitized_test thread --label-regex threads
  fi
  summary=$(colcon test-result --test-result-base "$DEV/build" --all 2>/dev/null | tail -n 1) || true
  echo "$summary"
  case $summary in
    "" | "Summary: 0 tests"*) failures+=("no test ran") ;;
  esac
  if [ ${#failures[@]} -gt 0 ]; then
    say "failed: $(printf '%s; ' "${failures[@]}")"
  fi
  echo "$passed passed, ${#failures[@]} failed"
  [ ${#failures[@]} -eq 0 ]
}
