// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "link_emulator/profile_file.hpp"

namespace pqc_tunnel::link_emulator
{
namespace
{

using std::chrono::milliseconds;

std::string refusal(const std::string & text)
{
  const auto profile = parse_profile(text);
  return profile ? "" : profile.error().message;
}

TEST(LinkProfiles, every_profile_of_the_package_is_good_and_describes_itself)
{
  std::size_t count = 0;
  for (const auto & entry : std::filesystem::directory_iterator(PQC_TOOLS_LINKS)) {
    const auto profile = load_profile(entry.path());
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_FALSE(profile->description.empty()) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 7U);
}

TEST(LinkProfiles, the_telemetry_radio_has_57600_bit_per_second_both_ways)
{
  const auto profile = load_profile(std::string(PQC_TOOLS_LINKS) + "/telemetry-radio.yaml");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->drone_to_gcs.rate_bits_per_s, 57'600U);
  EXPECT_EQ(profile->gcs_to_drone.rate_bits_per_s, 57'600U);
}

// Its comments describe every field, so it must be complete, with the values of absent fields.
TEST(LinkProfiles, the_clean_profile_lists_every_field_with_its_default)
{
  std::ifstream stream(std::string(PQC_TOOLS_LINKS) + "/clean.yaml");
  std::ostringstream text;
  text << stream.rdbuf();
  for (const std::string field :
       {"description",
        "both",
        "drone_to_gcs",
        "gcs_to_drone",
        "delay_ms",
        "jitter_ms",
        "burst_loss",
        "enter_percent",
        "leave_percent",
        "loss_percent",
        "reorder_percent",
        "reorder_delay_ms",
        "byte_error_percent",
        "adversary",
        "min_bytes",
        "max_bytes",
        "drop_percent",
        "hold_percent",
        "hold_ms",
        "half_duplex",
        "nat_rebind_ms",
        "duplicate_percent",
        "corrupt_percent",
        "rate_bits_per_s",
        "queue_bytes",
        "mtu_bytes",
        "overhead_bytes",
        "outages"})
  {
    EXPECT_NE(text.str().find(field + ":"), std::string::npos) << field;
  }
  const auto clean = parse_profile(text.str());
  const auto empty = parse_profile("description: nothing\n");
  ASSERT_TRUE(clean && empty);
  for (const auto channel : {&Profile::drone_to_gcs, &Profile::gcs_to_drone}) {
    const ChannelSettings & one = (*clean).*channel;
    const ChannelSettings & other = (*empty).*channel;
    EXPECT_EQ(one.delay, other.delay);
    EXPECT_EQ(one.jitter, other.jitter);
    EXPECT_EQ(one.loss, other.loss);
    EXPECT_EQ(one.burst.enter, other.burst.enter);
    EXPECT_EQ(one.burst.leave, other.burst.leave);
    EXPECT_EQ(one.burst.loss, other.burst.loss);
    EXPECT_EQ(one.reorder, other.reorder);
    EXPECT_EQ(one.reorder_delay, other.reorder_delay);
    EXPECT_EQ(one.duplicate, other.duplicate);
    EXPECT_EQ(one.corrupt, other.corrupt);
    EXPECT_EQ(one.rate_bits_per_s, other.rate_bits_per_s);
    EXPECT_EQ(one.queue_bytes, other.queue_bytes);
    EXPECT_EQ(one.mtu_bytes, other.mtu_bytes);
    EXPECT_EQ(one.overhead_bytes, other.overhead_bytes);
    EXPECT_TRUE(one.outages.empty() && other.outages.empty());
  }
}

TEST(LinkProfiles, a_direction_changes_single_fields_of_both)
{
  const auto profile = parse_profile(R"(
drone_to_gcs: {loss_percent: 2.5, burst_loss: {leave_percent: 10}}
both: {delay_ms: 12.5, loss_percent: 1, burst_loss: {enter_percent: 3}}
gcs_to_drone:
  outages:
    - {start_ms: 5000, length_ms: 800}
    - {start_ms: 100, length_ms: 10, every_ms: 1000}
)");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->drone_to_gcs.delay, std::chrono::microseconds(12'500));
  EXPECT_DOUBLE_EQ(profile->drone_to_gcs.loss, 0.025);
  EXPECT_DOUBLE_EQ(profile->drone_to_gcs.burst.enter, 0.03);
  EXPECT_DOUBLE_EQ(profile->drone_to_gcs.burst.leave, 0.1);
  EXPECT_DOUBLE_EQ(profile->gcs_to_drone.loss, 0.01);
  EXPECT_DOUBLE_EQ(profile->gcs_to_drone.burst.leave, 1.0);
  ASSERT_EQ(profile->gcs_to_drone.outages.size(), 2U);
  EXPECT_EQ(profile->gcs_to_drone.outages[0].start, milliseconds(5000));
  EXPECT_FALSE(profile->gcs_to_drone.outages[0].period);
  EXPECT_EQ(profile->gcs_to_drone.outages[1].period, milliseconds(1000));
}

TEST(LinkProfiles, each_error_is_one_sentence)
{
  const std::vector<std::pair<std::string, std::string>> refusals = {
    {"both: {dellay_ms: 3}", "the field both.dellay_ms is unknown; did you mean both.delay_ms?"},
    {"bath: {}", "the field bath is unknown; did you mean both?"},
    {"both: {loss_percent: 120}", "both.loss_percent is 120, but must be a number from 0 to 100."},
    {"drone_to_gcs: {burst_loss: {enter_percent: often}}",
     "drone_to_gcs.burst_loss.enter_percent is often, but must be a number from 0 to 100."},
    {"both: {delay_ms: -1}", "both.delay_ms is -1, but must be a number from 0 to 3600000."},
    {"both: {delay_ms:}", "both.delay_ms is empty, but must be a number from 0 to 3600000."},
    {"both: {rate_bits_per_s: 0.5}",
     "both.rate_bits_per_s is 0.5, but must be a whole number from 0 to 100000000000."},
    {"both: {delay_ms: 1, delay_ms: 2}", "the field both.delay_ms is repeated."},
    {"both: {outages: {start_ms: 1}}",
     "both.outages must be a list of entries such as {start_ms: 5000, length_ms: 800}."},
    {"both: {outages: [{start_ms: 1}]}", "both.outages[0] needs a length_ms above 0."},
    {"both: {outages: [{length_ms: 5, every_ms: 5}]}",
     "both.outages[0].every_ms must be above its length_ms."},
    {"both: 3", "both must hold lines of the form name: value."},
    {"", "the file must hold lines of the form name: value."},
  };
  for (const auto & [profile, sentence] : refusals) {
    EXPECT_EQ(refusal(profile), sentence);
  }
  EXPECT_TRUE(refusal("both: [").starts_with("line 1 is not valid YAML ("));
}

TEST(LinkProfiles, errors_name_the_file)
{
  const auto absent = load_profile("/no/such/profile.yaml");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().message, "Link profile /no/such/profile.yaml does not exist.");
  const auto folder = load_profile(PQC_TOOLS_LINKS);
  ASSERT_FALSE(folder);
  EXPECT_EQ(
    folder.error().message, "Link profile " + std::string(PQC_TOOLS_LINKS) + " cannot be read.");
}

}  // namespace
}  // namespace pqc_tunnel::link_emulator
