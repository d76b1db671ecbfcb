# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds the workspace and enters its environment.

enter_distribution()
{
  set +u
  # shellcheck source=/dev/null
  source "/opt/ros/$ROS_DISTRO/setup.bash"
  set -u
}

# Without a distribution the wheels and the underlay replace it.
enter_ros()
{
  if has_distribution; then
    enter_distribution
    export PATH=$VENV/bin:$PATH
    PYTHONPATH=$(echo "$VENV"/lib/python3*/site-packages)${PYTHONPATH:+:$PYTHONPATH}
    export PYTHONPATH
  else
    # shellcheck source=/dev/null
    source "$ROOT/underlay/environment.bash"
    underlay_environment "$VENV" "$INSTALL"
  fi
}

# Enters the environment in which the users' commands run. Its scripts start Python, which shows a
# traceback if it is interrupted.
activate()
{
  local code=0
  enter_workspace 2>"$LOG/environment.txt" || code=$?
  cat "$LOG/environment.txt" >&2
  return "$code"
}

enter_workspace()
{
  enter_ros
  # Measurements record this commit, and some of them need the sources.
  export PQC_MAV_SOURCE=$ROOT
  [ -f "$INSTALL/local_setup.bash" ] || return 0
  set +u
  # shellcheck source=/dev/null
  source "$INSTALL/local_setup.bash"
  set -u
}

package_paths()
{
  printf '%s\n' "$ROOT"/src/*/
  has_distribution || printf '%s\n' "$ROOT"/underlay/*/
}

# known_packages ARGUMENTS: refuses package names that are not in the checkout. They follow an option
# --packages-…, up to the next option.
known_packages()
{
  local word names='' after_option=''
  names=$(package_paths | xargs -d '\n' -n 1 basename)
  for word; do
    case $word in
      --packages-select | --packages-skip | --packages-up-to | --packages-above) after_option=1 ;;
      -*) after_option='' ;;
      *)
        [ -z "$after_option" ] || grep -qxF -- "$word" <<<"$names" ||
          die "there is no package '$word'; the packages are $(echo "$names" | xargs)"
        ;;
    esac
  done
}

# warnings_as_errors: prints CMake's arguments for a build that only developers see. Warnings are errors of
# the compilers that CI uses, those of Debian 12; another one has others, which must not stop anybody.
warnings_as_errors()
{
  ! grep -qsx 'VERSION_CODENAME=bookworm' /etc/os-release || echo -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
}

# colcon_into BUILD INSTALL TESTS [COLCON ARGUMENTS]: builds below one folder, installs into another.
# The tests of core and I/O are built under sanitizers only (test.bash).
colcon_into()
{
  local build=$1 install=$2 tests=$3 paths
  mapfile -t paths < <(package_paths)
  cd "$ROOT"
  echo "packages: ${#paths[@]}"
  # Without MAKEFLAGS colcon makes ninja wait while the load of the machine is high.
  MAKEFLAGS=${MAKEFLAGS:--j$(nproc)} colcon --log-base "$LOG/colcon" build --merge-install \
    --build-base "$build" --install-base "$install" --metas "$ROOT/colcon.meta" \
    --paths "${paths[@]}" --executor parallel --parallel-workers 2 \
    --event-handlers console_direct+ \
    --cmake-args -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DBUILD_TESTING=$tests" \
    -DPQC_TUNNEL_CORE_TESTS=OFF -DPQC_TOOLS_TESTS=OFF -DPQC_EXPOSURE_TESTS=OFF \
    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1 -DNDEBUG" "${@:4}"
}

colcon_build()
{
  local tests=OFF
  [ ! -f "$DEV/stamp.tests" ] || tests=ON
  # shellcheck disable=SC2046
  colcon_into "$DEV/build" "$INSTALL" "$tests" $(warnings_as_errors) --symlink-install "$@" || return
  find "$INSTALL" -xtype l -delete  # links to files that the sources no longer have
}

# What a tree is built from, with its tests or without; a change in any source asks for a build.
source_state()
{
  (cd "$ROOT" && find src underlay colcon.meta setup -type f \
    ! -name '*.pyc' ! -name '*.md' ! -path '*/.*' ! -path '*.egg-info/*' -printf '%p %s %T@\n' | sort
    if [ -f "$DEV/stamp.tests" ]; then echo "with tests"; fi) | sha256sum | cut -c1-64
}

# A build that fails or is interrupted ends ./dev and leaves no stamp. Callers may have switched off `set -e`.
build()
{
  local state
  state=$(source_state)
  (enter_ros && step "building the workspace" colcon_build "$@") || exit 1
  # A build of some packages only doesn't make the tree current.
  if [ $# -eq 0 ]; then echo "$state" >"$DEV/stamp.build"; fi
}

# Users who only fly don't wait for the tests to be built; once built, they are kept current.
build_tests()
{
  touch "$DEV/stamp.tests"
  build
}

build_if_needed()
{
  [ "$(cat "$DEV/stamp.build" 2>/dev/null)" = "$(source_state)" ] || build
}

build_tests_if_needed()
{
  if [ -f "$DEV/stamp.tests" ]; then build_if_needed; else build_tests; fi
}
