// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "subcommand.hpp"

namespace pqc_tunnel::cli
{

std::span<const Subcommand> subcommands()
{
  static const std::vector<Subcommand> table{
    {"up",
     "NAME",
     "start the tunnel of /etc/pqc/NAME.yaml",
     "Waits until the tunnel runs or has failed. Root uses the unit pqc@NAME.service if it is\n"
     "installed; otherwise pqc_tunneld runs in the background, with a log beside its control "
     "socket.\n",
     {},
     {},
     {Words::configured},
     up},
    {"down", "NAME", "stop it", "", {}, {}, {Words::running}, down},
    {"show",
     "[NAME] [--json]",
     "state of the running tunnels",
     "Exit code: 0 every tunnel is encrypted with every peer; 1 one is not, or none runs.\n",
     {},
     {"--json"},
     {Words::running},
     show},
    {"rekey",
     "[NAME] [SUITE] [--ratchet] [--drone DRONE] [--json]",
     "fresh keys, or another suite; waits for the outcome",
     "--ratchet makes the next keys of the same suite without public-key operations: a few bytes, "
     "but\n"
     "no healing after a theft of keys. A ground station with several drones needs --drone.\n",
     {"--drone"},
     {"--json", "--ratchet"},
     {Words::running_or_suites, Words::suites},
     rekey},
    {"wipe",
     "[NAME] [--drone DRONE]",
     "erase the session's keys at this end",
     "A drone then begins a new session at once. A ground station with several drones needs "
     "--drone.\n",
     {"--drone"},
     {},
     {Words::running},
     wipe},
    {"suites",
     "[NAME] [--json]",
     "the suites of a running tunnel, or of this machine",
     "",
     {},
     {"--json"},
     {Words::running},
     suites},
    {"check",
     "NAME|FILE [--peer NAME|FILE]",
     "check parameters, keys, ports and addresses",
     "Lists every problem. --peer compares with the file of the other end what both must agree "
     "on;\n"
     "the keys and ports of the other end are not checked.\n"
     "Exit code: 0 good, 1 problems, 2 wrong usage.\n",
     {"--peer"},
     {},
     {Words::configured, Words::files},
     check},
    {"identity init",
     "--out DIR --drone NAME [--drone NAME ...] [--signatures all|LIST]\n"
     "      [--drone-signatures none|all|LIST] [--anchor 1|3|5|none] [--one-time N]",
     "make the keys of a ground station and its drones",
     "Makes DIR/gcs for the ground station and DIR/NAME for each drone. Carry each folder to its\n"
     "machine on a medium that you trust; never send it over a network. No file is overwritten, "
     "and\n"
     "an interrupted run leaves nothing. LIST names signature algorithms, separated by commas. "
     "Drone\n"
     "signatures are for drone_signature: true. The anchor's level should be that of suite; each "
     "drone\n"
     "gets N of its one-time keys (16).\n",
     {"--out", "--drone", "--signatures", "--drone-signatures", "--anchor", "--one-time"},
     {},
     {},
     identity_init},
    {"identity add-drone",
     "--out DIR --drone NAME [--drone NAME ...]\n"
     "      [--drone-signatures none|all|LIST] [--anchor 1|3|5|none] [--one-time N]",
     "add drones to DIR/gcs, and make DIR/NAME",
     "",
     {"--out", "--drone", "--drone-signatures", "--anchor", "--one-time"},
     {},
     {},
     identity_add_drone},
    {"identity anchor",
     "--out DIR [--drone NAME ...] [--anchor 1|3|5] [--one-time N] [--rotate]",
     "add keys of the anchor to DIR/gcs and its drones",
     "Makes the last-resort key if there is none of that level (3), and N more one-time keys (16) "
     "for\n"
     "each drone, or for those named. --rotate replaces the last-resort key; the ground station "
     "keeps\n"
     "the one before until the next rotation. Carry the folders anchor to their machines.\n",
     {"--out", "--drone", "--anchor", "--one-time"},
     {"--rotate"},
     {},
     identity_anchor},
    {"identity inspect",
     "PATH [PATH]",
     "describe keys, or whether two ends match",
     "One file or folder is described, without secrets. Of a drone's and a ground station's folder "
     "it says whether they\n"
     "match, and what does not. Exit code: 0 described or matching, 1 not.\n",
     {},
     {},
     {Words::files, Words::files},
     identity_inspect},
    {"exposure",
     "",
     "sockets that carry plaintext beyond this machine",
     "",
     {"--config", "--node", "--allow", "--proc-root"},
     {"--json"},
     {},
     nullptr},
    {"parameters",
     "drone|gcs [--json]",
     "every parameter with its default",
     "",
     {},
     {"--json"},
     {Words::roles},
     parameters},
    {"completion",
     "bash|zsh|fish",
     "a script that completes pqc in a shell",
     "bash: source <(pqc completion bash)\n"
     "zsh:  source <(pqc completion zsh)\n"
     "fish: pqc completion fish | source\n",
     {},
     {},
     {Words::shells},
     completion},
  };
  return table;
}

}  // namespace pqc_tunnel::cli
