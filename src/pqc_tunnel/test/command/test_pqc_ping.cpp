// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <yaml-cpp/yaml.h>

#include "pqc_fixture.hpp"

namespace pqc_tunnel
{
namespace
{

class PqcPing : public PqcFixture
{
protected:
  void start(const Settings & drone = {}, const Settings & gcs = {})
  {
    configure("drone", with(drone_settings(), drone));
    configure("gcs", with(gcs_settings(), gcs));
    ASSERT_EQ(outcome({"up", "gcs"}).code, 0);
    ASSERT_EQ(outcome({"up", "drone"}).code, 0);
    ASSERT_TRUE(eventually([] { return outcome({"show"}).code == 0; }));
  }
  ~PqcPing() override
  {
    outcome({"down", "drone"});
    outcome({"down", "gcs"});
  }

  static YAML::Node ping(std::vector<std::string> words)
  {
    words.insert(words.begin(), "ping");
    words.emplace_back("--json");
    const Outcome result = outcome(words);
    EXPECT_EQ(result.code, 0) << result.errors;
    return YAML::Load(result.output);
  }
};

TEST_F(PqcPing, tells_round_trips_losses_path_mtu_and_versions_at_both_ends)
{
  start();
  for (const std::string end : {"drone", "gcs"}) {
    const YAML::Node json = ping({end, "--count", "3"});
    EXPECT_EQ(json["sent"].as<int>(), 3);
    EXPECT_EQ(json["answered"].as<int>(), 3);
    EXPECT_EQ(json["lost_there"].as<int>() + json["lost_back"].as<int>(), 0);
    EXPECT_EQ(json["round_trips_s"].size(), 3u);
    EXPECT_EQ(json["path_mtu_bytes"].as<int>(), 1500);
    EXPECT_EQ(json["longer_lost"].as<std::string>(), "");
    EXPECT_EQ(json["version"].as<std::string>(), PQC_TUNNEL_VERSION);
    EXPECT_EQ(json["peer_version"].as<std::string>(), PQC_TUNNEL_VERSION);
  }
  const Outcome text = outcome({"ping", "gcs", "--drone", "alpha"});
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(
    text.output.find("alpha: 5 sent, 5 answered; lost: 0 there, 0 back\n"), std::string::npos)
    << text.output;
  EXPECT_NE(text.output.find("path MTU: 1500 bytes both ways, as configured\n"), std::string::npos);
  expect_failure(
    {"ping", "gcs", "--drone", "alhpa"}, 2, "This tunnel has no drone alhpa; did you mean alpha?");
}

TEST_F(PqcPing, finds_the_path_mtu_where_the_other_end_has_a_smaller_one)
{
  start({}, {{"link_mtu_bytes", "1000"}});
  const YAML::Node json = ping({"drone"});
  EXPECT_LE(json["path_mtu_bytes"].as<int>(), 1000);
  EXPECT_GE(json["path_mtu_bytes"].as<int>(), 996);
  EXPECT_EQ(json["longer_lost"].as<std::string>(), "back");
}

TEST_F(PqcPing, spends_little_on_a_thin_link_unless_it_is_told_to)
{
  const Settings thin{{"links", "[radio]"}, {"link.radio.rate_kbit", "500"}};
  start(thin, thin);
  EXPECT_FALSE(ping({"drone", "--count", "2"})["path_mtu_bytes"]);
  EXPECT_EQ(ping({"drone", "--count", "2", "--path-mtu"})["path_mtu_bytes"].as<int>(), 1500);
}

TEST_F(PqcPing, says_so_where_there_is_no_session)
{
  configure("drone", drone_settings());
  ASSERT_EQ(outcome({"up", "drone"}).code, 0);
  expect_failure(
    {"ping"}, 1, "There is no session with the peer, or no link carries frames of that length.");
}

}  // namespace
}  // namespace pqc_tunnel
