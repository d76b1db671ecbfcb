# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs lint and every test: the packages with colcon, the C++ core and engine under sanitizers.

# How many tests of CTest run beside each other. Most of their time is waiting.
BESIDE=$(($(nproc) + 1))

lint() { "$VENV/bin/python" "$ROOT/setup/lint.py" --root "$ROOT" --build "$DEV/build" "$@"; }

colcon_test()
{
  local paths
  mapfile -t paths < <(package_paths)
  cd "$ROOT"
  # The second try takes the names of failed tests from such a file; an older one would name others.
  rm -f "$DEV"/build/*/Testing/Temporary/LastTestsFailed*.log
  # Two packages at a time, whichever depends on the other: all are built.
  COLCON_FEATURE_FLAGS=drop_test_deps colcon --log-base "$LOG/colcon" test --merge-install \
    --build-base "$DEV/build" --install-base "$INSTALL" --paths "${paths[@]}" \
    --executor parallel --parallel-workers 2 --event-handlers console_cohesion+ \
    --ctest-args -j "$BESIDE" --retest-until-pass 1 --return-code-on-test-failure "$@"
}

# The tests of these packages mostly wait for processes: test files run in parallel.
WAITING=(pqc_policy pqc_sim pqc_reference pqc_learning pqc_bench pqc_testing)
TEST_LIMIT_S=600  # after which a test of these packages counts as failed

test_packages()
{
  local code=0
  colcon_test --packages-skip "${WAITING[@]}" || code=$?
  colcon_test --packages-select "${WAITING[@]}" --pytest-args -rR -n 2 --dist loadfile \
    --no-loadscope-reorder --timeout "$TEST_LIMIT_S" || code=$?
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
    -DCMAKE_COMPILE_WARNING_AS_ERROR=ON \
    -DCMAKE_CXX_COMPILER=clang++-14 "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1 -DNDEBUG"
  cmake --build "$DEV/build/$kind" --target "${@:2}"
}

# sanitized_users_build KIND: builds the packages that use the libraries of sanitized_build.
sanitized_users_build()
{
  local kind=$1 package
  cmake --install "$DEV/build/$kind" --prefix "$DEV/build/$kind/installed" || return
  for package in exposure tools; do
    cmake -S "$ROOT/src/pqc_$package" -B "$DEV/build/$kind-$package" -G Ninja "-DPQC_${package^^}_ROS=OFF" \
      "-DPQC_${package^^}_SANITIZE=$kind" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON "-DCMAKE_PREFIX_PATH=$DEV/build/$kind/installed;$INSTALL" \
      -DCMAKE_CXX_COMPILER=clang++-14 "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1 -DNDEBUG" &&
      cmake --build "$DEV/build/$kind-$package" || return
  done
}

# sanitized_test BUILD RESULTS [CTEST ARGUMENTS]: several may use one build at a time, each with logs of its own.
sanitized_test()
{
  local build=$DEV/build/$1
  mkdir -p "$build/$2" && printf 'subdirs("%s")\n' "$build" >"$build/$2/CTestTestfile.cmake"
  ctest --test-dir "$build/$2" --parallel "$BESIDE" --output-on-failure --no-tests=error \
    --repeat until-pass:2 --output-junit "$build/$2.xml" "${@:3}"
}

# The tests that need real time, of every sanitizer's build.
beside_each_other()
{
  local code=0 threads=1
  in_background 0 background_step threads sanitized_test thread results --label-regex threads
  quiet address sanitized_test address results --label-regex 'threads|fuzz' || code=$?
  quiet exposure sanitized_test address-exposure results || code=$?
  quiet tools sanitized_test address-tools results || code=$?
  wait "$BACKGROUND" || true
  read -r threads _ <"$LOG/test-threads.result"
  show_log threads "$threads"
  [ "$code" = 0 ] && [ "$threads" = 0 ]
}

# Later steps run even if one fails, so that one run reports all failures.
run_step()
{
  local text=$1 start=$SECONDS code=0
  shift
  say "== $text"
  "$@" || code=$?
  count_step "$text" "$code" "$((SECONDS - start)) s"
}

# count_step TEXT CODE DURATION
count_step()
{
  if [ "$2" = 0 ]; then
    passed=$((passed + 1))
    say "   passed ($3)"
  else
    failures+=("$1")
    say "   FAILED ($3)"
  fi
}

# These steps only compute: they run in the background while the package tests mostly wait.
background_steps()
{
  background_step lint lint
  background_step build-address sanitized_build address all
  background_step build-users sanitized_users_build address
  background_step build-thread sanitized_build thread thread_tests
  background_step core sanitized_test address core --label-exclude 'threads|fuzz'
}

# background_step NAME COMMAND...: runs a command with its output in a log file; records its exit
# code and how long it took, in seconds.
background_step()
{
  local log=$LOG/test-$1 start=$SECONDS code=0
  shift
  "$@" >"$log.txt" 2>&1 </dev/null || code=$?
  echo "$code $((SECONDS - start))" >"$log.partial"
  mv "$log.partial" "$log.result"
}

# background_result TEXT NAME: waits for a step in the background, and counts it as run_step does.
background_result()
{
  local result=$LOG/test-$2.result code seconds
  say "== $1"
  while [ ! -f "$result" ] && kill -0 "$computing" 2>/dev/null; do sleep 0.5; done
  if [ -f "$result" ]; then
    read -r code seconds <"$result"
    show_log "$2" "$code"
    count_step "$1" "$code" "$seconds s in the background"
  else
    count_step "$1" 1 "it ended without a result"
  fi
}

# Reports the tests that passed only at the second try (docs/decisions/0008).
report_second_tries()
{
  sed -nE 's/^RERUN ([^ ]+).*/\1/p; s/^.*Test +#[0-9]+: ([^ ]+) .*\*\*\*.*/\1/p' "$1" | sort -u |
    sed 's/^/   passed only at the second try: /'
}

# show_log NAME CODE: shows the end of a log on failure, otherwise what passed at the second try.
show_log()
{
  local log=$LOG/test-$1.txt
  if [ "$2" = 0 ]; then
    report_second_tries "$log"
  else
    tail -n 60 "$log"
    say "   the whole output is in ${log#"$ROOT/"}"
  fi
}

# quiet NAME COMMAND...: runs a command with its output in a log file.
quiet()
{
  local code=0
  "${@:2}" >"$LOG/test-$1.txt" 2>&1 </dev/null || code=$?
  show_log "$1" "$code"
  return "$code"
}

run_tests()
{
  local passed=0 failures=() summary computing
  alone setup_and build_tests_if_needed
  activate
  exec {lock}>"$DEV/test.lock"
  flock --nonblock "$lock" || die "another ./dev test runs in this checkout"
  # Results of a former run would hide that no test ran.
  colcon test-result --test-result-base "$DEV/build" --delete-yes >/dev/null 2>&1 || true
  if [ $# -gt 0 ]; then
    run_step "tests of $*" colcon_test --packages-select "$@"
  else
    rm -f "$LOG"/test-*.result
    in_background 19 background_steps
    computing=$BACKGROUND
    run_step "package tests" quiet packages test_packages
    background_result "lint" lint
    background_result "build under ASan and UBSan" build-address
    background_result "build of the exposure check and the lab's programs under ASan and UBSan" build-users
    background_result "build under TSan" build-thread
    # These measure time, or use it up. Most wait: those of one build run beside those of another, and beside the core's.
    run_step "I/O tests and fuzzing under ASan, UBSan and TSan" beside_each_other
    background_result "core tests under ASan and UBSan" core
  fi
  summary=$(colcon test-result --test-result-base "$DEV/build" --all 2>/dev/null | tail -n 1) || true
  echo "$summary"
  case $summary in
    "" | "Summary: 0 tests"*) failures+=("no test ran") ;;
    *" 0 errors, 0 failures,"*) ;;
    *) [ ${#failures[@]} -gt 0 ] || failures+=("tests that no step reported") ;;
  esac
  if [ ${#failures[@]} -gt 0 ]; then
    say "failed: $(printf '%s; ' "${failures[@]}")"
  fi
  echo "$passed passed, ${#failures[@]} failed"
  [ ${#failures[@]} -eq 0 ]
}
