#!/usr/bin/env bash
# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# try_images.bash ARCHIVE: a drone's and a ground station's container, each in a network of its own with a cable between them,
# carry MAVLink both ways. They run as docker/README.md says. Needs root.
set -euo pipefail
# crun refuses a hierarchy of which one half is of version 2.
if mountpoint --quiet /sys/fs/cgroup/unified; then
  exec unshare --mount bash -c 'umount --lazy /sys/fs/cgroup/unified && exec "$@"' bash "$0" "$@"
fi
scratch=$(mktemp -d)
user=10001
declare -A address=([drone]=192.0.2.1 [gcs]=192.0.2.2)

containers() { podman --root "$scratch/storage" --runroot "$scratch/run" --storage-driver vfs --cgroup-manager cgroupfs "$@"; }
in_network() { ip netns exec "pqc-try-$1" "${@:2}"; }

clean()
{
  containers rm --all --force --time 2 >/dev/null || true
  for end in drone gcs; do ip netns delete "pqc-try-$end" 2>/dev/null || true; done
  rm -rf "$scratch"
}
trap clean EXIT

# container NAME NETWORK [OPTIONS OF PODMAN]: the image, without any right.
container()
{
  containers run --name "$1" --network "$2" --cgroups disabled --user "$user" --read-only --read-only-tmpfs=false --tmpfs /tmp \
    --cap-drop ALL --security-opt no-new-privileges --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 "${@:3}"
}

network()
{
  for end in drone gcs; do ip netns add "pqc-try-$end"; done
  ip link add pqc-try netns pqc-try-drone type veth peer name pqc-try netns pqc-try-gcs
  for end in drone gcs; do
    in_network "$end" ip address add "${address[$end]}/24" dev pqc-try
    in_network "$end" ip link set pqc-try up
    in_network "$end" ip link set lo up
  done
}

# rights NAME: fails unless the container has none.
rights()
{
  local process
  process=$(containers inspect --format '{{.State.Pid}}' "$1")
  diff - <(grep -E '^(Uid|CapPrm|CapEff|CapBnd|NoNewPrivs|Seccomp):' "/proc/$process/status" | tr '\t' ' ') <<TEXT
Uid: $user $user $user $user
CapPrm: 0000000000000000
CapEff: 0000000000000000
CapBnd: 0000000000000000
NoNewPrivs: 1
Seccomp: 2
TEXT
  for place in / /etc/pqc; do
    if containers exec "$1" touch "$place/file" 2>/dev/null; then return 1; fi
  done
}

# mavlink: a program on the ground answers a HEARTBEAT of the vehicle with its own.
mavlink()
{
  in_network gcs python3 - 14550 <<'PYTHON' &
import socket, sys
ground = socket.socket(type=socket.SOCK_DGRAM)
ground.bind(("", int(sys.argv[1])))
ground.settimeout(30)
heard, tunnel = ground.recvfrom(100)
assert heard.hex() == "fd0900000001010000000000000002030003034f5b", heard.hex()
ground.sendto(bytes.fromhex("fd09000000ffbe0000000000000006080004033d48"), tunnel)
PYTHON
  local ground=$!
  while ! in_network gcs ss -Huln 'sport = 14550' | grep -q .; do sleep 0.1; done
  in_network drone python3 - 14590 <<'PYTHON'
import socket, sys
vehicle = socket.socket(type=socket.SOCK_DGRAM)
vehicle.sendto(bytes.fromhex("fd0900000001010000000000000002030003034f5b"), ("", int(sys.argv[1])))
vehicle.settimeout(30)
heard = vehicle.recv(100)
assert heard.hex() == "fd09000000ffbe0000000000000006080004033d48", heard.hex()
PYTHON
  wait "$ground"
}

image=$(containers load --quiet --input "$1" | sed 's/^Loaded image: //')
mkdir -m 700 "$scratch/keys"
chown "$user:$user" "$scratch/keys"
container keys none --rm --volume "$scratch/keys:/keys" --entrypoint pqc "$image" identity init --out /keys --drone drone1 >/dev/null
mv "$scratch/keys/drone1" "$scratch/keys/drone"
network
for end in drone gcs; do
  container example none --rm --entrypoint cat "$image" "/usr/share/pqc_tunnel/config/$end.yaml" |
    sed "s/gcs_address: .*/gcs_address: ${address[gcs]}/" >"$scratch/$end.yaml"
  container "$end" "ns:/run/netns/pqc-try-$end" --detach --volume "$scratch/keys/$end:/etc/pqc/$end:ro" \
    --volume "$scratch/$end.yaml:/etc/pqc/parameters.yaml:ro" "$image" >/dev/null
done
for end in drone gcs; do
  for _ in $(seq 100); do
    ! containers exec "$end" pqc show --json 2>/dev/null | grep -q '"state": "established"' || break
    sleep 0.2
  done
  containers exec "$end" pqc show || { containers logs drone; containers logs gcs; exit 1; }
  rights "$end"
done
mavlink
containers exec drone pqc rekey
mavlink
echo "MAVLink passes both ways"
