// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef COMMAND__PQC_FIXTURE_HPP_
#define COMMAND__PQC_FIXTURE_HPP_

#include <stdlib.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/engine_fixture.hpp"
#include "support/program.hpp"

namespace pqc_tunnel
{

using Settings = std::map<std::string, std::string>;

// Folders of configurations and control sockets of this test.
class PqcFixture : public EngineFixture
{
protected:
  PqcFixture()
  {
    std::filesystem::create_directory(config_);
    ::setenv("PQC_CONFIG_DIR", config_.c_str(), 1);
    ::setenv("PQC_RUN_DIR", run_.c_str(), 1);
  }

  static Program pqc(const std::vector<std::string> & words) { return Program("pqc", words); }

  struct Outcome
  {
    int code;
    std::string output;
    std::string errors;
  };
  static Outcome outcome(const std::vector<std::string> & words)
  {
    Program program("pqc", words);
    const int code = program.wait();
    return {code, program.output(), program.errors()};
  }
  // The exit code and the sentence of a command that fails.
  static void expect_failure(
    const std::vector<std::string> & words, int code, const std::string & sentence)
  {
    const Outcome result = outcome(words);
    EXPECT_EQ(result.code, code) << result.output;
    EXPECT_EQ(result.errors, "pqc: " + sentence + "\n");
  }

  static std::string free_port() { return std::to_string(Application().port()); }

  // Ports of a pair that runs, or of none.
  struct Ports
  {
    std::string gcs_datagram = free_port();
    std::string drone_datagram = free_port();
    std::string drone_plaintext = free_port();
    std::string gcs_plaintext = free_port();
  };

  Settings drone_settings() const
  {
    return {
      {"role", "drone"},
      {"identity_dir", (identities() / "alpha").string()},
      {"suite", "cs-mlkem512-aesgcm-mldsa44"},
      {"min_level", "1"},
      {"gcs_address", "127.0.0.1"},
      {"gcs_datagram_port", ports_.gcs_datagram},
      {"bind_address", "127.0.0.1"},
      {"datagram_port", ports_.drone_datagram},
      {"plaintext_bind_address", "127.0.0.1"},
      {"plaintext_port", ports_.drone_plaintext},
    };
  }
  Settings gcs_settings() const
  {
    return {
      {"role", "gcs"},
      {"identity_dir", gcs_keys_.string()},
      {"min_level", "1"},
      {"bind_address", "127.0.0.1"},
      {"datagram_port", ports_.gcs_datagram},
      {"plaintext_bind_address", "127.0.0.1"},
      {"plaintext_port", ports_.gcs_plaintext},
    };
  }

  // Writes the configuration of a tunnel and returns its path.
  std::string configure(const std::string & tunnel, const Settings & settings) const
  {
    std::string text = "/**/tunnel:\n  ros__parameters:\n";
    for (const auto & [name, value] : settings) {
      text += "    " + name + ": " + value + "\n";
    }
    return scratch_.write("etc/" + tunnel + ".yaml", text).string();
  }
  static Settings with(Settings settings, const Settings & changes)
  {
    for (const auto & [name, value] : changes) {
      settings[name] = value;
    }
    return settings;
  }

  // What differs for one drone of a ground station.
  static void set_drone(
    const std::filesystem::path & gcs_keys, const std::string & name, const std::string & lines)
  {
    std::ofstream(drone_settings_path(gcs_keys, name)) << lines;
  }

  bool has_socket(const std::string & tunnel) const
  {
    return std::filesystem::exists(run_ / (tunnel + ".sock"));
  }

  ScratchDir scratch_;
  const std::filesystem::path config_ = scratch_ / "etc";
  const std::filesystem::path run_ = scratch_ / "run";
  Ports ports_;
  const std::filesystem::path gcs_keys_ = gcs_identity();
};

}  // namespace pqc_tunnel

#endif  // COMMAND__PQC_FIXTURE_HPP_
