# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds and tries the programs on other systems, each in a folder of its own that mmdebstrap fills and deletes.

PLATFORMS=(debian12 debian13 ubuntu24.04)

platform_suite()
{
  case $1 in
    debian12) echo bookworm ;;
    debian13) echo trixie ;;
    ubuntu24.04) echo noble ;;
    *) die "there is no platform '$1'; the platforms are ${PLATFORMS[*]}" ;;
  esac
}

# platforms [NAME...]
platforms()
{
  local name failed=()
  [ $# -gt 0 ] || set -- "${PLATFORMS[@]}"
  for name; do platform_suite "$name" >/dev/null || exit; done
  make_dev_folder
  setup_named mmdebstrap
  for name; do
    (step "building and trying on $name" platform "$name") || failed+=("$name")
  done
  [ ${#failed[@]} -eq 0 ] || die "failed: ${failed[*]}"
}

# platform NAME: a system without anything that a machine has by chance gets the sources, and does what a user does.
platform()
{
  local suite arguments=() certificates=/usr/local/share/ca-certificates
  suite=$(platform_suite "$1")
  # A proxy's own certificate.
  [ ! -d "$certificates" ] || arguments+=(--customize-hook="copy-in $certificates ${certificates%/*}")
  case $1 in
    ubuntu*) arguments+=(--components=main,universe --keyring="$(ubuntu_keyring)") || return ;;
  esac
  copy_sources "$DEV/platform" || return
  mmdebstrap --variant=minbase --include=apt "${arguments[@]}" \
    --customize-hook='mkdir "$1/src"' --customize-hook="sync-in $DEV/platform /src" \
    --chrooted-customize-hook="PQC_MAV_PLATFORM=$1 /src/setup/try_platform.bash" \
    "$suite" /dev/null $(platform_mirror "$1")
}

# mmdebstrap ARGUMENTS: its hooks are scripts of dash, which knows descriptors of one digit only: none of a caller's are
# left open.
mmdebstrap()
(
  for name in /proc/self/fd/*; do
    name=${name##*/}
    [ "$name" -le 2 ] || exec {name}>&-
  done
  exec mmdebstrap "$@"
)

# platform_mirror NAME: prints where this machine gets Debian's packages; for others mmdebstrap knows a place.
platform_mirror()
{
  case $1 in
    debian*) apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -n 1 ;;
  esac
}

# Prints the file with the keys of Ubuntu's archive, which Debian 13 has in a package.
ubuntu_keyring()
{
  local file=usr/share/keyrings/ubuntu-archive-keyring.gpg
  if [ ! -f "/$file" ] && [ ! -f "$DEV/$file" ]; then
    mmdebstrap --variant=extract --include=ubuntu-keyring trixie "$DEV/keyring.tar" $(platform_mirror debian13) >&2 &&
      tar -xf "$DEV/keyring.tar" -C "$DEV" "./$file" && rm "$DEV/keyring.tar" || return
  fi
  if [ -f "/$file" ]; then echo "/$file"; else echo "$DEV/$file"; fi
}
