# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Makes a container image of the Debian package: mmdebstrap fills its system, buildah wraps it. The same packages of Debian
# and of the tunnel give the same bytes.

# images FOLDER
images()
{
  local folder package
  folder=$(target images "$@") && package=$(package_in "$folder") || exit
  make_dev_folder
  setup_named mmdebstrap buildah
  step "making an image" image_of "$package" "${package%.deb}.oci.tar"
  step "listing what is in it" image_bill "$package" "${package%.deb}"
}

# try_images FOLDER: makes the image once more, compares, and flies a drone's and a ground station's container.
try_images()
{
  local folder package again=$DEV/image.again
  folder=$(target try-images "$@") && package=$(package_in "$folder") || exit
  [ -f "${package%.deb}.oci.tar" ] || die "$folder has no image: ./dev images $folder"
  make_dev_folder
  setup_named mmdebstrap buildah podman iproute2
  step "making the same image again" image_of "$package" "$again"
  step "comparing" cmp "${package%.deb}.oci.tar" "$again"
  step "flying in two containers" as_root "$ROOT/docker/try_images.bash" "$again"
  rm "$again"
}

# image_epoch PACKAGE: prints the time of the package's changelog, which all its files have.
image_epoch()
{
  date --date "$(dpkg-deb --ctrl-tarfile "$1" | tar --list --verbose --full-time --utc | awk 'NR == 1 { print $4, $5, "UTC" }')" +%s
}

# image_of PACKAGE OUT: an archive with the layout of OCI.
image_of()
{
  local work=$DEV/image storage tag SOURCE_DATE_EPOCH
  storage=$DEV/image/storage tag=pqc-mav:$(dpkg-deb --field "$1" Version)
  SOURCE_DATE_EPOCH=$(image_epoch "$1")
  export SOURCE_DATE_EPOCH
  as_root rm -rf "$work" && mkdir -p "$work/bill" "$work/context" &&
    image_root "$1" "$work" &&
    image_tool bud --isolation chroot --layers=false --timestamp "$SOURCE_DATE_EPOCH" --tag "$tag" \
      --file "$ROOT/docker/plain.Dockerfile" "$work/context" &&
    image_tool push "$tag" "oci:$work/layout:$tag" &&
    as_root tar --create --file "$2" --directory "$work/layout" --sort=name --mtime="@$SOURCE_DATE_EPOCH" \
      --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX .
}

image_tool() { as_root buildah --storage-driver vfs --root "$storage" --runroot "$storage/run" "$@"; }

# image_root PACKAGE WORK: a system with the package, what it needs, and a shell of one program; and what it says of itself.
image_root()
{
  mmdebstrap --variant=custom --format=tar --hook-dir=/usr/share/mmdebstrap/hooks/busybox \
    --hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount \
    --include=base-files,base-passwd,busybox,debianutils,dpkg,libc-bin,mawk,systemd-standalone-sysusers --include="$1" \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --customize-hook='mkdir "$1/bill"' \
    --chrooted-customize-hook='cd /bill && cp /etc/os-release . && pqc --version >version && pqc suites --json >suites.json &&
      pqc suites --algorithms --json >algorithms.json &&
      dpkg-query --show --showformat="\${Package}\t\${Version}\t\${Architecture}\t\${Pre-Depends},\${Depends}\n" >packages' \
    --customize-hook="sync-out /bill $2/bill" --customize-hook='cd "$1" && rm -r bill etc/apt/sources.list etc/hostname etc/resolv.conf' \
    --customize-hook='find "$1" -xdev -perm /6000 -type f -exec chmod a-s {} +' \
    bookworm "$2/context/root.tar" $(platform_mirror debian12)
}

# image_bill PACKAGE NAME: CycloneDX's list of what was made last.
image_bill()
{
  local built_with
  built_with=$(echo "${1%/*}"/pqc-mav_*_"$(dpkg --print-architecture)".buildinfo)
  SOURCE_DATE_EPOCH=$(image_epoch "$1") /usr/bin/python3 "$ROOT/docker/sbom.py" "$DEV/image/bill" --built-with "$built_with" \
    --digest "$(sed -n 's/.*"digest":"sha256:\([0-9a-f]*\)".*/\1/p' "$DEV/image/layout/index.json")" --out "$2.cdx.json"
}
