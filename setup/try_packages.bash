#!/usr/bin/env bash
# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# ./dev packages runs this in a fresh system that has booted, with the packages in /packages: an operator installs them,
# makes keys, starts two units, upgrades, and removes the packages. The system is off when this ends.
set -euo pipefail

say() { echo "--- $*"; }

# established: waits until both ends have a session.
established()
{
  for _ in $(seq 300); do
    for end in drone gcs; do
      pqc show "$end" --json 2>/dev/null | grep -q '"state": "established"' || { sleep 0.2; continue 2; }
    done
    return 0
  done
  journalctl --no-pager --unit 'pqc@*'
  return 1
}

# mavlink: a HEARTBEAT of the vehicle arrives on the ground, and one of the ground at the vehicle.
mavlink()
{
  python3 - <<'PYTHON'
import socket
HERE = ""  # any address: the loopback one
HEARTBEAT = bytes.fromhex("fd0900000001010000000000000002030003034f5b")
vehicle, ground = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
ground.bind((HERE, 14550))
for sender, port, receiver in ((vehicle, 14590, ground), (ground, 14551, vehicle)):
    sender.sendto(HEARTBEAT, (HERE, port))
    receiver.settimeout(10)
    assert receiver.recv(100) == HEARTBEAT
PYTHON
}

# serial_wire: writes the names of two pseudo terminals into files, and carries bytes between them.
serial_wire()
{
  python3 - <<'PYTHON'
import os, time
far = {}
for end in ("drone", "gcs"):
    far[end], near = os.openpty()
    os.set_blocking(far[end], False)
    with open(f"/tmp/{end}.device", "w") as file:
        print(os.ttyname(near), file=file)
    os.close(near)
while True:
    time.sleep(0.002)
    for end, other in (("drone", "gcs"), ("gcs", "drone")):
        try:
            os.write(far[other], os.read(far[end], 4096))
        except OSError:  # nothing there, or nobody has opened an end
            pass
PYTHON
}

# files: all files of the system but those of its own life.
files()
{
  find / -xdev '(' -path /proc -o -path /sys -o -path /run -o -path /tmp -o -path /var/log -o -path /var/cache -o -path /packages \
    -o -path '/var/lib/dpkg' -o -path /var/lib/systemd -o -path /root ')' -prune -o -print | sort
}

try()
{
  files >/tmp/before
  say "install"
  dpkg --install /packages/pqc-mav_*.deb
  local trusted
  trusted=$(mktemp -d)
  pqc identity init --out "$trusted/keys" --drone drone1 >/dev/null
  pqc pair drone1 --out "$trusted/keys" --code "$trusted/code" >/dev/null
  pqc pair --take "$trusted/keys/drone1.pair" --code "$trusted/code" --identity /etc/pqc/drone
  mv "$trusted/keys/gcs" /etc/pqc/gcs
  chown -R pqc: /etc/pqc/drone /etc/pqc/gcs
  cp /usr/share/pqc_tunnel/config/{drone,gcs}.yaml /etc/pqc/
  systemctl enable --now pqc@drone pqc@gcs
  established
  mavlink
  systemd-analyze security --no-pager --threshold=15 pqc@gcs | tail -n 1
  [ -f /usr/share/man/man1/pqc-identity.1.gz ]

  say "the watchdog ends a daemon that stands still"
  old=$(systemctl show --property=MainPID --value pqc@drone)
  kill -STOP "$old"
  for _ in $(seq 300); do
    [ "$(systemctl show --property=MainPID --value pqc@drone)" = "$old" ] || break
    sleep 0.1
  done
  established
  mavlink

  say "keys sealed for this machine"
  for end in drone gcs; do
    pqc-seal "$end" --with-key=host
    pqc-seal "$end" # has nothing more to do
  done
  [ -z "$(find /etc/pqc -type f '(' -name '*.identity' -o -path '*/signing/*.key' ')' -not -path '*/sealed/*')" ]
  [ -z "$(grep -rl PQMK /etc/pqc/*/sealed)" ]
  systemctl restart pqc@drone pqc@gcs
  established
  mavlink
  runuser -u pqc -- pqc check gcs

  say "a serial line"
  serial_wire &
  until [ -s /tmp/gcs.device ]; do sleep 0.1; done
  for end in drone gcs; do
    device=$(cat "/tmp/$end.device")
    chgrp dialout "$device" && chmod 660 "$device"
    printf '    %s\n' 'links: [radio]' 'link.radio.type: serial' "link.radio.device: $device" >>"/etc/pqc/$end.yaml"
  done
  systemctl restart pqc@drone pqc@gcs
  established
  mavlink
  ls -l "/proc/$(systemctl show --property=MainPID --value pqc@drone)/fd" | grep -F "$(cat /tmp/drone.device)"

  say "upgrade"
  old=$(systemctl show --property=MainPID --value pqc@drone)
  dpkg --install /packages/pqc-mav_*.deb
  [ "$(systemctl show --property=MainPID --value pqc@drone)" != "$old" ]
  established
  mavlink

  say "remove"
  keys=$(find /etc/pqc -type f | sort | xargs sha256sum)
  dpkg --purge pqc-mav
  [ -z "$(pgrep pqc_tunneld)" ]
  [ "$keys" = "$(find /etc/pqc -type f | sort | xargs sha256sum)" ]
  files >/tmp/after
  left=$(comm -13 /tmp/before /tmp/after | grep -v '^/etc/pqc\|^/etc/\(passwd\|group\|shadow\|gshadow\)-\?$' || true)
  [ -z "$left" ] || { echo "left behind: $left"; return 1; }
}

set +e
(set -e; try)
echo "$?" >/packages/result
systemctl poweroff
