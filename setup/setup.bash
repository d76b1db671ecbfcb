# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Sets up the environment on a bare Debian 12 or on a machine with a ROS 2 distribution.

# True where a ROS 2 distribution has been sourced; then no underlay is used.
has_distribution()
{
  [ -n "${ROS_DISTRO:-}" ] && [ -d "/opt/ros/$ROS_DISTRO" ]
}

# entries FILE...: prints the entries of list files, without comments and blank lines.
entries() { sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$@"; }

# stamped NAME FILE...: true if the step NAME has been done with exactly this content of the files.
stamp_of() { cat "$@" "$ROOT/setup/setup.bash" | sha256sum | cut -c1-64; }
stamped() { [ "$(cat "$DEV/stamp.$1" 2>/dev/null)" = "$(stamp_of "${@:2}")" ]; }
set_stamp() { stamp_of "${@:2}" >"$DEV/stamp.$1"; }

as_root()
{
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# missing_debian_packages LIST...: prints the packages of lists in setup/ that are not installed.
missing_debian_packages()
{
  missing_of $(entries "${@/#/$ROOT/setup/}")
  case " $* " in *' apt_plain.txt '*) has_recent_cargo || cargo_package ;; esac
}

# missing_of NAME...: prints those Debian packages that are not installed.
missing_of()
{
  local name architecture
  architecture=$(dpkg --print-architecture 2>/dev/null) || true
  for name; do
    # A library of another architecture, for cross builds, is no help here.
    dpkg-query -W -f='${Architecture} ${db:Status-Status}\n' "$name" 2>/dev/null |
      grep -qxE "(all|$architecture) installed" || echo "$name"
  done
}

# liboqs comes as a crate; the sparse index needs cargo 1.68.
has_recent_cargo()
{
  local minor
  minor=$(cargo --version 2>/dev/null | sed -n 's/^cargo 1\.\([0-9]*\).*/\1/p')
  [ -n "$minor" ] && [ "$minor" -ge 68 ]
}

# Debian 12 has a recent cargo in the package cargo-web.
cargo_package()
{
  if grep -qx 'VERSION_CODENAME=bookworm' /etc/os-release; then echo cargo-web; else echo cargo; fi
}

install_debian_packages()
{
  # Tests start sshd where nobody else reaches it; a machine that had none does not listen afterwards.
  if [[ " $* " == *" openssh-server "* && -d /run/systemd/system ]]; then
    as_root systemctl mask --quiet ssh.service ssh.socket || return
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

# with_python COMMAND...: a small Debian has no Python; what describes the commands needs it before all else.
with_python()
{
  [ -x /usr/bin/python3 ] || alone install_missing python3 || return
  "$@"
}

# setup_packages LIST...: installs the packages of lists in setup/ that are missing.
setup_packages()
{
  local missing
  mapfile -t missing < <(missing_debian_packages "$@")
  [ ${#missing[@]} -eq 0 ] || install_missing "${missing[@]}"
}

# setup_named NAME...: installs those Debian packages that are missing.
setup_named()
{
  local missing
  mapfile -t missing < <(missing_of "$@")
  [ ${#missing[@]} -eq 0 ] || install_missing "${missing[@]}"
}

install_missing()
{
  command -v apt-get >/dev/null || die "setup needs apt-get (Debian 12, or Ubuntu with a ROS 2 distribution)"
  if [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then
    die "these packages are missing and need root to install: $*"
  fi
  step "installing ${#} system package$([ $# = 1 ] || echo s)" install_debian_packages "$@"
}

make_venv()
{
  local site=()
  has_distribution && site=(--system-site-packages)
  /usr/bin/python3 -m venv "${site[@]}" "$VENV"
}

# Python compiles what is used when it is used, instead of everything here.
pip_install() { "$VENV/bin/pip" install --disable-pip-version-check --no-compile "$@"; }

# install_python_packages LIST...: what python.txt names and, at the same time, lists that need nothing else.
install_python_packages()
{
  local BACKGROUND code=0
  in_background 0 pip_install --no-deps "${@/#/--requirement=}"
  pip_install --requirement "$ROOT/setup/python.txt" || code=$?
  wait "$BACKGROUND" || code=$?
  return "$code"
}

# liboqs needs nothing from pip, which waits for the network: it is built meanwhile. colcon goes on in the same folder
# (colcon.meta).
build_liboqs()
{
  cmake -S "$ROOT/src/liboqs_vendor" -B "$DEV/build/liboqs_vendor" -G Ninja \
    -DCMAKE_BUILD_TYPE=Release -DLIBOQS_VENDOR_ROS=OFF &&
    cmake --build "$DEV/build/liboqs_vendor"
}

finish_liboqs()
{
  wait "$BACKGROUND" && return
  cat "$LOG/liboqs.txt"
  return 1
}

setup_python()
{
  local alone=("$ROOT/setup/python_alone.txt") lists
  has_distribution || alone+=("$ROOT/setup/ros_wheels.txt")
  lists=("$ROOT/setup/python.txt" "${alone[@]}" "$ROOT/underlay/fix_wheels.py")
  stamped python "${lists[@]}" && return
  has_distribution || [ "$(/usr/bin/python3 -c 'import sys; print(*sys.version_info[:2])')" = "3 11" ] ||
    die "without a ROS 2 distribution the ROS wheels need Debian 12's Python 3.11 at /usr/bin/python3"
  [ -x "$VENV/bin/pip" ] || step "creating the Python environment" make_venv
  has_distribution || in_background 0 build_liboqs >"$LOG/liboqs.txt" 2>&1
  step "installing Python packages" install_python_packages "${alone[@]}"
  has_distribution || step "preparing the ROS wheels" "$VENV/bin/python" "$ROOT/underlay/fix_wheels.py" "$VENV"
  set_stamp python "${lists[@]}"
  has_distribution || step "building liboqs" finish_liboqs
}

setup_rosdep()
{
  stamped rosdep "$ROOT"/src/*/package.xml && return
  command -v rosdep >/dev/null || die "rosdep is missing: install python3-rosdep and run 'rosdep init'"
  step "installing ROS dependencies" rosdep install -y --ignore-src --from-paths "$ROOT/src" \
    --skip-keys "ament_python"
  set_stamp rosdep "$ROOT"/src/*/package.xml
}

setup()
{
  local lists=(apt_plain.txt apt_python.txt apt.txt)
  has_distribution || lists+=(apt_debian.txt)
  make_dev_folder
  setup_packages "${lists[@]}"
  if has_distribution; then setup_rosdep; fi
  setup_python
}
