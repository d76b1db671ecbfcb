// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>

#include "config/config.hpp"
#include "config/parameter_check.hpp"
#include "config/profiles.hpp"
#include "crypto/suites/suite.hpp"

namespace pqc_tunnel
{
namespace
{

using List = std::vector<std::string>;

ParameterValues with_profile(Role role, const std::string & profile, ParameterValues more = {})
{
  ParameterValues values{
    {"role", std::string(to_string(role))},
    {"profile", profile},
    {"identity_dir", std::string("keys")},
    {"datagram_port", std::int64_t{46012}},
    {"plaintext_bind_address", std::string("localhost")},
    {"plaintext_port", std::int64_t{14590}}};
  if (role == Role::drone) {
    values["gcs_address"] = std::string("ground.example");
    values["gcs_datagram_port"] = std::int64_t{46011};
  }
  for (auto & [name, value] : more) {
    values[name] = value;
  }
  return values;
}

EngineConfig made(Role role, const std::string & profile, ParameterValues more = {})
{
  std::vector<Error> problems;
  auto config = make_engine_config(role, with_profile(role, profile, std::move(more)), problems);
  for (const Error & problem : problems) {
    // A machine may lack a library's algorithm; this is about parameters.
    EXPECT_EQ(problem.code, ErrorCode::unavailable) << problem.message;
  }
  return config;
}

std::string refusal(Role role, const std::string & profile, ParameterValues more)
{
  std::vector<Error> problems;
  make_engine_config(role, with_profile(role, profile, std::move(more)), problems);
  std::string all;
  for (const Error & problem : problems) {
    all += problem.message + "\n";
  }
  return all;
}

const char * const only_suite = "cs-mlkem1024-aesgcm-mldsa87";

TEST(Profiles, of_both_ends_allow_the_same_suites)
{
  for (const std::string & profile : profile_names()) {
    const auto drone = made(Role::drone, profile).settings;
    const auto gcs = made(Role::gcs, profile).settings;
    EXPECT_EQ(drone.suites.hash(drone.mode), gcs.suites.hash(gcs.mode)) << profile;
    EXPECT_EQ(drone.anchor, gcs.anchor) << profile;
  }
}

TEST(Profiles, allow_these_suites)
{
  const auto count = [](const std::string & profile) {
    return made(Role::drone, profile).settings.suites.allowed().size();
  };
  EXPECT_EQ(count("cnsa2"), 1u);
  EXPECT_EQ(count("research"), registry().all().size());
  EXPECT_EQ(count("paper_2025"), registry().paper().size());
  EXPECT_EQ(count("layered"), count("default"));
  EXPECT_EQ(made(Role::drone, "default").profile, "default");
}

TEST(Profiles, have_these_keys)
{
  EXPECT_EQ(made(Role::drone, "default").settings.anchor, AnchorUse::automatic);
  EXPECT_FALSE(made(Role::drone, "default").settings.mode.hybrid_x25519);
  EXPECT_EQ(made(Role::drone, "layered").settings.anchor, AnchorUse::required);
  EXPECT_TRUE(made(Role::drone, "layered").settings.mode.hybrid_x25519);
  EXPECT_EQ(made(Role::drone, "paper_2025").settings.anchor, AnchorUse::off);
}

TEST(Profiles, prefer_chacha20_where_the_processor_has_no_aes_unless_they_name_a_suite)
{
  const std::string name = "suite";
  for (const std::string profile : {"default", "layered", "research"}) {
    EXPECT_EQ(profile_defaults(profile, true).count(name), 0u) << profile;
    EXPECT_EQ(
      to_text(profile_defaults(profile, false).at(name)), "cs-mlkem768-chacha20poly1305-mldsa65");
  }
  EXPECT_EQ(to_text(profile_defaults("cnsa2", false).at(name)), only_suite);
  EXPECT_TRUE(profile_defaults("unknown", false).empty());
}

TEST(Profiles, cnsa2_has_one_suite_and_nothing_beside_it)
{
  const EngineConfig config = made(Role::drone, "cnsa2");
  EXPECT_EQ(config.settings.initial_suite->id, only_suite);
  EXPECT_EQ(config.settings.suites.allowed(), std::vector{registry().find(only_suite)});
  EXPECT_EQ(config.settings.anchor, AnchorUse::off);
  EXPECT_FALSE(config.settings.mode.hybrid_x25519);
  EXPECT_EQ(config.profile, "cnsa2");
}

TEST(Profiles, are_defaults_that_parameters_replace)
{
  const auto config = made(
    Role::drone, "layered",
    {{"anchor", std::string("auto")}, {"suite", std::string("cs-mlkem512-aesgcm-mldsa44")}});
  EXPECT_EQ(config.settings.anchor, AnchorUse::automatic);
  EXPECT_TRUE(config.settings.mode.hybrid_x25519);
  EXPECT_EQ(config.settings.initial_suite->id, "cs-mlkem512-aesgcm-mldsa44");
  EXPECT_EQ(
    made(Role::gcs, "research", {{"min_level", std::int64_t{5}}}).settings.suites.allowed().size(),
    static_cast<std::size_t>(
      std::ranges::count(registry().all(), SecurityLevel::l5, &Suite::level)));
}

TEST(Profiles, cnsa2_refuses_all_else_in_one_sentence)
{
  const std::string begin =
    "Profile cnsa2 uses ML-KEM-1024, ML-DSA-87, AES-256-GCM and SHA-384 and refuses all else: "
    "leave out ";
  const std::pair<const char *, ParameterValue> each[] = {
    {"suite", std::string("cs-mlkem1024-chacha20poly1305-mldsa87")},
    {"min_level", std::int64_t{3}},
    {"allowed_suites", List{only_suite, "cs-mlkem1024-aesgcm-falcon1024"}},
    {"allowed_suites", List{}},
    {"allow_experimental", true},
    {"hybrid_x25519", true},
    {"anchor", std::string("required")},
  };
  for (const Role role : {Role::drone, Role::gcs}) {
    for (const auto & [name, value] : each) {
      EXPECT_EQ(
        refusal(role, "cnsa2", {{name, value}}), begin + name + " (" + to_text(value) + ").\n");
    }
  }
  EXPECT_EQ(
    refusal(Role::gcs, "cnsa2", {{"prekey_pool.suites", List{"cs-mlkem512-aesgcm-mldsa44"}}}),
    begin + "prekey_pool.suites ([cs-mlkem512-aesgcm-mldsa44]).\n");
  EXPECT_EQ(
    refusal(Role::drone, "cnsa2", {{"anchor", std::string("auto")}, {"hybrid_x25519", true}}),
    begin + "anchor (auto), hybrid_x25519 (true).\n");
  EXPECT_EQ(refusal(Role::drone, "cnsa2", {{"suite", std::string(only_suite)}}), "");
}

TEST(Profiles, that_are_unknown_are_refused_with_the_nearest_one)
{
  EXPECT_EQ(
    refusal(Role::drone, "cnsa", {}),
    "Parameter profile is cnsa, which is unknown; did you mean cnsa2?\n");
}

TEST(Profiles, show_in_the_table_that_a_node_declares)
{
  const auto default_of = [](const std::string & profile, const std::string & name) {
    const auto specs = parameter_specs(Role::drone, with_profile(Role::drone, profile));
    return to_text(std::ranges::find(specs, name, &ParameterSpec::name)->default_value);
  };
  EXPECT_EQ(default_of("default", "anchor"), "auto");
  EXPECT_EQ(default_of("cnsa2", "anchor"), "off");
  EXPECT_EQ(default_of("cnsa2", "suite"), only_suite);
}

}  // namespace
}  // namespace pqc_tunnel
