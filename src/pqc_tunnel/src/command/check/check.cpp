// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <iostream>

#include "command/given.hpp"
#include "end.hpp"
#include "os/process.hpp"

namespace pqc_tunnel::cli
{

namespace
{

void print(const std::filesystem::path & file, const Findings & findings)
{
  std::cout << file.string() << ":\n";
  for (const Weight weight : {Weight::problem, Weight::warning, Weight::note}) {
    for (const Finding & finding : findings.all()) {
      if (finding.weight == weight) {
        std::cout << "  " << to_string(weight) << ": " << finding.sentence << "\n";
      }
    }
  }
  if (findings.is_good()) {
    std::cout << "  good\n";
  }
}

}  // namespace

Result<int> check(const Given & given)
{
  const auto & rest = given.words;
  protect_secrets();
  const auto file = find_file(rest[0]);
  if (!file) {
    return tl::make_unexpected(file.error());
  }
  Findings findings;
  const auto end = read_end(*file, findings);
  if (end) {
    check_profile(end->config, findings);
    check_identity(end->config, findings);
    check_sockets(*end, running_tunnel(*end), Devices::open, findings);
    check_plaintext(*end, findings);
  }
  if (given.peer.empty() && rest.size() < 2) {
    print(*file, findings);
    return findings.has(Weight::problem) ? exit_cannot_run : exit_success;
  }
  const auto peer_file = find_file(given.peer.empty() ? rest.back() : given.peer);
  if (!peer_file) {
    return tl::make_unexpected(peer_file.error());
  }
  Findings of_peer;
  const auto other = read_end(*peer_file, of_peer);
  Findings of_both;
  if (end && other) {
    compare_ends(*end, *other, of_both);
  }
  print(*file, findings);
  print(*peer_file, of_peer);
  print("both ends", of_both);
  const bool bad =
    findings.has(Weight::problem) || of_peer.has(Weight::problem) || of_both.has(Weight::problem);
  return bad ? exit_cannot_run : exit_success;
}

}  // namespace pqc_tunnel::cli
