// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef LINK_EMULATOR__EMULATOR_PROGRAM_HPP_
#define LINK_EMULATOR__EMULATOR_PROGRAM_HPP_

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/program.hpp"
#include "support/scratch_dir.hpp"

namespace pqc_tunnel
{

// pqc_link_emulator on free ports of the loopback, with a profile given as text.
class EmulatorProgram
{
public:
  EmulatorProgram(
    const std::string & profile, std::uint16_t ground_udp, const std::string & seed = "1")
  : EmulatorProgram(
      profile, {"--seed", seed, "--udp-listen", "127.0.0.1:0", "--udp-forward",
                "127.0.0.1:" + std::to_string(ground_udp)})
  {
  }
  EmulatorProgram(const std::string & profile, const std::vector<std::string> & options)
  : program_("pqc_link_emulator", command(profile, options))
  {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (summary().empty()) {
      if (std::chrono::steady_clock::now() > deadline) {
        throw std::runtime_error("the emulator didn't start: " + program_.errors());
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  std::uint16_t udp_port() const { return static_cast<std::uint16_t>(number("udp", "port")); }

  void send_signal(int number) const { program_.send_signal(number); }

  // Ends it; number() then reads its last summary.
  void stop(int signal = SIGTERM)
  {
    program_.send_signal(signal);
    EXPECT_EQ(program_.wait(), 0) << program_.errors();
    EXPECT_NE(summary().find("\"state\": \"finished\""), std::string::npos);
  }

  // The file that becomes the next summary.
  std::filesystem::path next_summary() const { return scratch_ / "summary.json.new"; }

  // A number of the summary: the first with this key after the other keys.
  template <class... Keys>
  std::uint64_t number(const Keys &... keys) const
  {
    const std::string text = summary();
    std::size_t position = 0;
    for (const std::string & key : {std::string(keys)...}) {
      position = text.find("\"" + key + "\": ", position);
      if (position == std::string::npos) {
        throw std::runtime_error("the summary has no " + key + ": " + text);
      }
      position += key.size() + 4;
    }
    return std::stoull(text.substr(position));
  }

private:
  std::vector<std::string> command(
    const std::string & profile, std::vector<std::string> options) const
  {
    options.insert(
      options.end(), {"--profile", scratch_.write("profile.yaml", profile).string(), "--summary",
                      (scratch_ / "summary.json").string()});
    return options;
  }
  std::string summary() const
  {
    std::ifstream file(scratch_ / "summary.json");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  ScratchDir scratch_;
  Program program_;
};

}  // namespace pqc_tunnel

#endif  // LINK_EMULATOR__EMULATOR_PROGRAM_HPP_
