// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <iomanip>
#include <iostream>
#include <map>

#include "command_line/json_writer.hpp"
#include "control/status_text.hpp"
#include "crypto/components.hpp"
#include "crypto/suites/suite.hpp"
#include "given.hpp"
#include "tunnels.hpp"

namespace pqc_tunnel::cli
{

namespace
{

// Names the libraries that compute KEM and signature; empty if the suite is unavailable.
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
    std::cout << std::left << std::setw(45) << suite["id"].as<std::string>("") << " level "
              << suite["level"].as<int>(0);
    for (const std::string & part : {libraries(suite), remark(suite)}) {
      std::cout << (part.empty() ? "" : "  ") << part;
    }
    std::cout << "\n";
  }
}

// Returns as JSON the algorithms of all suites on this machine, and those that bind them together. KEMs and signatures have
// a level of NIST, ciphers a size of their keys.
std::string algorithms_json()
{
  std::map<std::string, std::string> libraries;  // by the name of the algorithm
  std::string hashing;
  std::string random;
  for (const Suite & suite : registry().all()) {
    const std::vector<Component> parts = components(suite);
    for (const Component & part : parts) {
      libraries[part.algorithm] = part.library;
    }
    hashing = parts.at(3).library;
    random = parts.at(4).library;
  }
  auto json = JsonWriter::array();
  const auto begin = [](std::string_view kind, std::string_view name, std::string_view library) {
    auto one = JsonWriter::object();
    one.text("kind", kind).text("name", name).text("library", library);
    return one;
  };
  const auto add_public_key = [&](std::string_view kind, auto algorithms) {
    for (const auto algorithm : algorithms) {
      const std::string name(display_name(algorithm));
      const AlgorithmAvailability & here = availability(algorithm);
      auto one = begin(kind, name, libraries[name]);
      one.text("token", token(algorithm))
        .number("level", static_cast<int>(level(algorithm)))
        .text("specification", specification(algorithm))
        .flag("available", here.available);
      json.element(one.str());
    }
  };
  add_public_key("kem", all_kems());
  add_public_key("signature", all_signatures());
  for (const AeadAlgorithm algorithm : all_aeads()) {
    const std::string name(display_name(algorithm));
    auto one = begin("aead", name, libraries[name]);
    json.element(one.text("token", token(algorithm))
                   .number("key_bits", 8 * key_size(algorithm))
                   .flag("available", true)
                   .str());
  }
  for (const auto & [kind, name] :
       {std::pair{"hash", "SHA-256"}, std::pair{"hash", "SHA-384"}, std::pair{"hash", "SHA-512"},
        std::pair{"mac", "HMAC"}, std::pair{"kdf", "HKDF"}, std::pair{"key-agree", "X25519"}})
  {
    json.element(begin(kind, name, hashing).flag("available", true).str());
  }
  return json.element(begin("drbg", "random numbers", random).flag("available", true).str()).str();
}

void print_algorithms(const YAML::Node & algorithms)
{
  for (const YAML::Node & one : algorithms) {
    const auto text = [&](const char * key) { return one[key].as<std::string>(""); };
    std::cout << std::left << std::setw(26) << text("name") << std::setw(11) << text("kind")
              << std::setw(28)
              << (one["available"].as<bool>(false) ? text("library") : "not on this machine")
              << text("specification") << "\n";
  }
}

}  // namespace

Result<int> suites(const Given & given)
{
  if (given.algorithms) {
    const std::string algorithms = algorithms_json();
    if (given.json) {
      std::cout << algorithms << "\n";
    } else {
      print_algorithms(YAML::Load(algorithms));
    }
    return exit_success;
  }
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
