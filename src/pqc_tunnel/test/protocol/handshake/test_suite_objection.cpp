// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/handshake/suite_objection.hpp"

#include <gtest/gtest.h>

#include "support/identities.hpp"

// Why an end can't use a suite, and which one is meant by a name that is misspelled.

namespace pqc_tunnel::test
{
namespace
{

const Suite & in_use() { return suite("cs-mlkem768-aesgcm-mldsa65"); }

TEST(Objection, is_made_to_a_suite_that_lacks_a_key_at_either_end)
{
  TunnelSettings settings;
  const Identities & ids = Identities::for_signature(in_use().signature);
  DroneIdentity drone = ids.drone_part();
  GcsIdentity ground = ids.gcs_part();
  EXPECT_EQ(suite_objection(in_use(), settings, drone), "");
  EXPECT_EQ(suite_objection(in_use(), settings, ground), "");
  drone.signing_keys.clear();
  EXPECT_EQ(suite_objection(in_use(), settings, drone), "");
  settings.mode.drone_signature = true;
  EXPECT_EQ(
    suite_objection(in_use(), settings, drone),
    "the identity holds no signing key of the drone for cs-mlkem768-aesgcm-mldsa65");
  drone.gcs_keys.clear();
  EXPECT_EQ(
    suite_objection(in_use(), settings, drone),
    "the identity holds no public key of the ground station for cs-mlkem768-aesgcm-mldsa65");
  ground.signing_keys.clear();
  EXPECT_EQ(
    suite_objection(in_use(), settings, ground),
    "the identity holds no signing key for cs-mlkem768-aesgcm-mldsa65");
  settings.suites = SuitePolicy(SecurityLevel::l5, false);
  for (const std::string & general :
       {suite_objection(in_use(), settings, drone), suite_objection(in_use(), settings, ground)})
  {
    EXPECT_EQ(
      general,
      "cs-mlkem768-aesgcm-mldsa65 is not allowed by the configuration: its level 3 is below "
      "min_level 5");
  }
}

TEST(Name, of_a_suite_that_is_misspelled_gets_the_nearest_one_that_would_be_accepted)
{
  const auto error = [](std::string_view id, const std::vector<const Suite *> & usable) {
    return find_suite(id, usable).error().message;
  };
  EXPECT_EQ(*find_suite(in_use().id, {}), &in_use());
  const std::string_view misspelled = "cs-mlkem768-aesgcm-mldsa66";
  EXPECT_EQ(error(misspelled, {}), "there is no suite \"cs-mlkem768-aesgcm-mldsa66\"");
  EXPECT_EQ(
    error(misspelled, {&suite("cs-mlkem512-aesgcm-mldsa44")}),
    "there is no suite \"cs-mlkem768-aesgcm-mldsa66\"; did you mean cs-mlkem512-aesgcm-mldsa44?");
  EXPECT_NE(error(std::string(64, 'c'), {&in_use()}).find("did you mean"), std::string::npos);
  EXPECT_EQ(
    error(std::string(65, 'c'), {&in_use()}), "there is no suite with an id of 65 characters");
}

TEST(Name, of_a_suite_that_is_misspelled_gets_no_experimental_one_where_nobody_knows_the_policy)
{
  const std::string message = find_suite("cs-hqc192-aesgcm-mldsa66").error().message;
  EXPECT_NE(message.find("did you mean cs-"), std::string::npos);
  EXPECT_EQ(message.find("did you mean cs-hqc"), std::string::npos);
}

}  // namespace
}  // namespace pqc_tunnel::test
