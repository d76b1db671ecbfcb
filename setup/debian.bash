# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds Debian packages of what needs no ROS, each architecture in a fresh system that mmdebstrap fills and deletes.

# debian_packages FOLDER [ARCHITECTURE...]
debian_packages()
{
  local folder name
  folder=$(target packages "${1:-}") || exit
  shift
  [ $# -gt 0 ] || set -- "$(dpkg --print-architecture)"
  make_dev_folder
  setup_named mmdebstrap
  setup_packages apt_plain.txt
  step "collecting the sources" debian_sources "$DEV/debian/pqc-mav"
  mkdir -p "$folder"
  for name; do
    step "building the packages for $name" debian_build "$name" "$folder"
  done
}

# try_packages FOLDER: installs the packages in a folder into a fresh system and boots it.
try_packages()
{
  local folder package system=$DEV/system
  folder=$(target try-packages "$@") && package=$(package_in "$folder") || exit
  make_dev_folder
  setup_named mmdebstrap systemd-container
  step "making a system" debian_system "$package" "$system"
  step "installing and flying in it" debian_boot "$system"
}

# package_in FOLDER: prints the package for this machine.
package_in()
{
  local found
  found=("$1"/pqc-mav_*_"$(dpkg --print-architecture)".deb)
  [ -f "${found[0]}" ] && [ ${#found[@]} = 1 ] || die "$1 must have one package of this machine: ./dev packages $1"
  echo "${found[0]}"
}

# debian_system PACKAGE FOLDER: a system with what the packages depend on, not with them.
debian_system()
{
  as_root rm -rf "$2"
  as_root mmdebstrap --variant=minbase --include=systemd-sysv,dbus,iproute2,procps,python3-minimal \
    --customize-hook='mkdir "$1/packages"' --customize-hook="copy-in $1 /packages" \
    --customize-hook="copy-in $ROOT/setup/try_packages.bash /packages" \
    --chrooted-customize-hook='apt-get install --yes --no-install-recommends /packages/pqc-mav_*.deb && dpkg --purge pqc-mav &&
      printf "[Unit]\nAfter=multi-user.target\n[Service]\nType=oneshot\nExecStart=/packages/try_packages.bash\n[Install]\nWantedBy=multi-user.target\n" \
        >/etc/systemd/system/try.service && systemctl enable try.service' \
    bookworm "$2" $(platform_mirror debian12)
}

debian_boot()
{
  as_root systemd-nspawn --register=no --keep-unit --private-network --directory="$1" --boot systemd.journald.forward_to_console=1
  [ "$(as_root cat "$1/packages/result")" = 0 ]
}

# debian_sources FOLDER: the sources of this checkout and of liboqs, as a Debian source package.
debian_sources()
{
  local version author
  copy_sources "$1" && cp -r "$1/setup/debian" "$1/debian" &&
    (mkdir -p "$DEV/build/liboqs_source" && cd "$DEV/build/liboqs_source" &&
      cmake -P "$ROOT/src/liboqs_vendor/cmake/fetch_source.cmake") &&
    cp -r "$DEV/build/liboqs_source/crate/liboqs" "$1/liboqs" || return
  version=$(sed -n 's/.*<version>\(.*\)<.*/\1/p' "$ROOT/src/pqc_tunnel/package.xml")
  author=$(sed -n 's/^maintainer = "\(.*\)"/\1/p' "$ROOT/setup/project.toml")
  author="$author <$(sed -n 's/^email = "\(.*\)"/\1/p' "$ROOT/setup/project.toml")>"
  sed -i "s/@MAINTAINER@/$author/" "$1/debian/control.in" && mv "$1/debian/control.in" "$1/debian/control"
  printf 'pqc-mav (%s) bookworm; urgency=medium\n\n  * src/pqc_tunnel/CHANGELOG.rst tells the changes.\n\n -- %s  %s\n' \
    "$version" "$author" "$(git -C "$ROOT" log -1 --format=%cD 2>/dev/null || date -R)" >"$1/debian/changelog"
}

# debian_build ARCHITECTURE FOLDER
debian_build()
{
  local native tools=build-essential,ca-certificates
  native=$(dpkg --print-architecture)
  [ "$1" = "$native" ] || tools+=,qemu-user,crossbuild-essential-$1
  mmdebstrap --variant=apt --architectures="$(printf '%s\n' "$native" "$1" | sort -u | paste -sd,)" --include="$tools" \
    --customize-hook='mkdir "$1/out"' --customize-hook="sync-in $DEV/debian /out" \
    --chrooted-customize-hook="cd /out/pqc-mav && apt-get build-dep --yes --host-architecture $1 ./ &&
      dpkg-buildpackage --host-arch $1 --build=binary --no-sign && mkdir /out/packages && mv /out/*.deb /out/*.buildinfo /out/packages" \
    --customize-hook="sync-out /out/packages $2" \
    bookworm /dev/null $(platform_mirror debian12)
}
