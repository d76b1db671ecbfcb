// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <iomanip>
#include <iostream>

#include "control/status_text.hpp"
#include "given.hpp"
#include "tunnels.hpp"

namespace pqc_tunnel::cli
{

namespace
{

// What computes KEM and signature; empty if the suite is unavailable.
std::string libraries(const YAML::Node & suite)
{
  const std::string kem = suite["kem_library"].as<std::string>("");
  const std::string signature = suite["signature_library"].as<std::string>("");
  return kem == signature ? kem : kem + " and " + signature;
}

// Why the suite can't be used now; empty if it can.
std::string remark(const YAML::Node & suite)
{
  if (suite["reason"]) {
    return "unavailable: " + suite["reason"].as<std::string>("");
  }
  if (!suite["allowed"].as<bool>(true)) {
    return "not allowed by min_level, allowed_suites or allow_experimental";
  }
  if (suite["blacklisted_s"]) {
    return "blacklisted for another " +
           std::to_string(std::lround(suite["blacklisted_s"].as<double>(0.0))) + " s";
  }
  return suite["experimental"].as<bool>(false) ? "experimental" : "";
}

void print(const YAML::Node & suites)
{
  for (const YAML::Node & suite : suites) {
    std::cout << std::left << std::setw(46) << suite["id"].as<std::string>("") << "level "
              << suite["level"].as<int>(0);
    for (const std::string & part : {libraries(suite), remark(suite)}) {
      std::cout << (part.empty() ? "" : "  ") << part;
    }
    std::cout << "\n";
  }
}

}  // namespace

Result<int> suites(const Given & given)
{
  const auto running = running_tunnels();
  if (!running) {
    return tl::make_unexpected(running.error());
  }
  std::string text = suites_json();
  if (!given.words.empty() || !running->empty()) {
    const auto tunnel = choose_tunnel(given.tunnel());
    if (!tunnel) {
      return tl::make_unexpected(tunnel.error());
    }
    auto answer = request(*tunnel, "suites");
    if (!answer) {
      return tl::make_unexpected(answer.error());
    }
    text = std::move(answer->text);
  }
  if (given.json) {
    std::cout << text << "\n";
  } else {
    print(YAML::Load(text));
  }
  return exit_success;
}

}  // namespace pqc_tunnel::cli
