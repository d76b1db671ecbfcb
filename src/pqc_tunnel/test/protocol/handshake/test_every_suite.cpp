// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <map>

#include "crypto/suites/algorithm_table.hpp"
#include "support/large_stack.hpp"
#include "support/pair/traffic.hpp"
#include "support/repetitions.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

// KEM and signature of suites that differ in their AEAD only; they share one pair of tunnels.
using Family = std::pair<KemAlgorithm, SignatureAlgorithm>;

std::vector<Family> families()
{
  std::vector<Family> found;
  for (const Suite & suite : registry().all()) {
    const Family family{suite.kem, suite.signature};
    if (std::ranges::find(found, family) == found.end()) {
      found.push_back(family);
    }
  }
  return found;
}

// Every KEM and every signature, each in one family at least.
std::vector<Family> sample_of_families()
{
  std::vector<Family> found;
  for (const Family & family : families()) {
    const bool has_kem =
      std::ranges::any_of(found, [&](const Family & one) { return one.first == family.first; });
    const bool has_signature =
      std::ranges::any_of(found, [&](const Family & one) { return one.second == family.second; });
    if (!has_kem || !has_signature) {
      found.push_back(family);
    }
  }
  return found;
}

std::vector<const Suite *> suites_of(const Family & family)
{
  std::vector<const Suite *> found;
  for (const Suite & suite : registry().all()) {
    if (suite.kem == family.first && suite.signature == family.second) {
      found.push_back(&suite);
    }
  }
  return found;
}

void rekey_under_traffic(WiredPair & pair, Traffic & traffic, const Suite & to)
{
  const auto tickets = pair.outcomes(Side::drone).size();
  pair.drone().request_rekey(rekey_to(&to), pair.now());
  ASSERT_TRUE(
    traffic.run_until([&] { return pair.outcomes(Side::drone).size() > tickets; }, 10s, 5ms))
    << to.id;
  EXPECT_TRUE(pair.outcomes(Side::drone).back().success)
    << to.id << ": " << pair.outcomes(Side::drone).back().message;
}

void expect_in_use(WiredPair & pair, const Suite & wanted)
{
  for (const Side side : both_sides) {
    EXPECT_EQ(pair.snapshot(side).suite, &wanted) << wanted.id;
  }
}

// The first suite by a new session, every other by a rekey from the one before, and, where that is quick, the first
// again by a rekey; datagrams flow all the while and none is lost.
void go_through(
  const std::vector<const Suite *> & suites, HandshakeMode mode,
  const std::optional<Library> & of_drone = std::nullopt)
{
  WiredPair::Options options;
  options.settings.initial_suite = suites.front();
  options.settings.mode = mode;
  WiredPair pair(options);
  if (of_drone) {
    // The library serves the jobs of the drone, the other one those of the ground station.
    pair.set_job_filter([&](Side at, Job &) -> std::optional<JobResult> {
      prefer(
        (at == Side::drone) == (of_drone == Library::openssl) ? Library::openssl : Library::liboqs);
      return std::nullopt;
    });
  }
  ASSERT_TRUE(pair.establish()) << suites.front()->id;
  expect_in_use(pair, *suites.front());
  Traffic traffic(pair);
  traffic.run_for(100ms, 5ms);
  const Suite & first = *suites.front();
  const bool slow =
    family(first.kem) == KemFamily::classic_mceliece || signs_slowly(first.signature);
  const std::size_t rekeys = slow ? suites.size() - 1 : suites.size();
  for (std::size_t next = 1; next <= rekeys; ++next) {
    const Suite & to = *suites[next % suites.size()];
    rekey_under_traffic(pair, traffic, to);
    traffic.run_for(50ms, 5ms);
    expect_in_use(pair, to);
  }
  pair.run_for(50ms);
  for (const Side side : both_sides) {
    EXPECT_TRUE(traffic.arrived_exactly(side)) << suites.front()->id;
    EXPECT_EQ(pair.drops(side), 0u) << suites.front()->id;
    EXPECT_EQ(pair.snapshot(side).rekeys, rekeys);
    EXPECT_EQ(pair.snapshot(side).handshakes, rekeys + 1);
  }
}

std::string name_of(const testing::TestParamInfo<Family> & info)
{
  return std::string(token(info.param.first)) + "_" + std::string(token(info.param.second));
}

bool has(const Family & family, Revision revision)
{
  return spec(family.first).revision == revision || spec(family.second).revision == revision;
}

// Whether the libraries must have it: liboqs 0.13 lacks present revisions, and a newer one the former.
bool is_expected(const Family & family)
{
  return !has(family, Revision::present) &&
         (!has(family, Revision::former) || version(Library::liboqs).starts_with("liboqs 0.13."));
}

class EverySuite : public testing::TestWithParam<Family>
{
};

TEST_P(EverySuite, is_available_connects_carries_datagrams_and_rekeys)
{
  const auto suites = suites_of(GetParam());
  ASSERT_EQ(suites.size(), has(GetParam(), Revision::present) ? 3u : 4u);
  for (const Suite * suite : suites) {
    const auto availability = registry().availability(*suite);
    if (!availability.available && !is_expected(GetParam())) {
      GTEST_SKIP() << availability.reason;
    }
    ASSERT_TRUE(availability.available) << suite->id << ": " << availability.reason;
  }
  run_with_large_stack([&] { go_through(suites, {}); });
}

TEST_P(EverySuite, connects_ends_with_different_libraries)
{
  const auto in_both = [](auto algorithm) {
    return spec(algorithm).implementations[0].library == Library::openssl &&
           implementation(algorithm) != nullptr &&
           implementation(algorithm)->library == Library::openssl;
  };
  if (!in_both(GetParam().first) && !in_both(GetParam().second)) {
    GTEST_SKIP() << "OpenSSL has neither KEM nor signature";
  }
  const auto suites = suites_of(GetParam());
  if (const auto availability = registry().availability(*suites.front()); !availability.available) {
    GTEST_SKIP() << availability.reason;
  }
  for (const Library of_drone : {Library::openssl, Library::liboqs}) {
    run_with_large_stack([&] { go_through({suites.front()}, {}, of_drone); });
  }
  prefer(std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(
  Registry, EverySuite, testing::ValuesIn(sanitized ? sample_of_families() : families()), name_of);

TEST(Registry, holds_the_72_suites_of_the_paper_and_the_extended_set)
{
  EXPECT_EQ(registry().paper().size(), 72u);
  // 4 KEMs and 4, 3 and 4 signatures at the three levels, 4 AEADs; those with a present revision have 3 AEADs.
  const auto is_present = [](const Family & family) { return has(family, Revision::present); };
  EXPECT_EQ(std::ranges::count_if(families(), is_present), 10 + 9 + 10);
  EXPECT_EQ(families().size(), 44u + 29);
  EXPECT_EQ(registry().all().size(), 44u * 4 + 29 * 3);
}

class EveryMode : public testing::TestWithParam<std::tuple<bool, bool>>
{
};

TEST_P(EveryMode, connects_carries_datagrams_and_rekeys)
{
  const HandshakeMode mode{std::get<0>(GetParam()), std::get<1>(GetParam())};
  const std::vector<Family> representatives = {
    {KemAlgorithm::ml_kem_512, SignatureAlgorithm::falcon_512},
    {KemAlgorithm::hqc_192, SignatureAlgorithm::ml_dsa_65},
    {KemAlgorithm::ml_kem_1024, SignatureAlgorithm::falcon_1024},
    {KemAlgorithm::frodokem_640_aes, SignatureAlgorithm::sphincs_128f},
    {KemAlgorithm::classic_mceliece_348864, SignatureAlgorithm::ml_dsa_44},
  };
  run_with_large_stack([&] {
    for (const Family & family : representatives) {
      go_through(suites_of(family), mode);
    }
  });
}

std::string mode_name(const testing::TestParamInfo<std::tuple<bool, bool>> & info)
{
  return std::string(std::get<0>(info.param) ? "hybrid" : "plain") +
         (std::get<1>(info.param) ? "_mutual" : "_psk");
}

INSTANTIATE_TEST_SUITE_P(
  HandshakeMode, EveryMode, testing::Combine(testing::Bool(), testing::Bool()), mode_name);

TEST(EverySuite, can_follow_any_other_whatever_its_level)
{
  WiredPair::Options options;
  for (const auto algorithm : all_signatures()) {
    if (availability(algorithm).available) {
      options.identities.push_back(algorithm);
    }
  }
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  Traffic traffic(pair);
  for (const auto * id :
       {"cs-mlkem512-ascon128a-falcon512", "cs-mlkem1024-aesgcm-mldsa87",
        "cs-mlkem512-chacha20poly1305-sphincs128f", "cs-hqc192-asconaead128-mldsa65",
        "cs-frodokem1344aes-aesgcm-falcon1024", "cs-mlkem768-aesgcm-mldsa65"})
  {
    rekey_under_traffic(pair, traffic, suite(id));
    expect_in_use(pair, suite(id));
  }
  pair.run_for(50ms);
  EXPECT_TRUE(traffic.arrived_exactly(Side::drone));
  EXPECT_TRUE(traffic.arrived_exactly(Side::gcs));
}

}  // namespace
}  // namespace pqc_tunnel::test
