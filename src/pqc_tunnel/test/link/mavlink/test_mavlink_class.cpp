// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/mavlink/mavlink_class.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/hex.hpp"
#include "support/known_answers/vector_file.hpp"

namespace pqc_tunnel
{

namespace
{

// Made by pymavlink 2.4.50: every message of ardupilotmega.
const std::vector<test::VectorRecord> & messages()
{
  static const auto records =
    test::read_vectors(std::string(PQC_TUNNEL_TEST_VECTORS) + "/mavlink_frames.txt");
  return records;
}

Bytes frame_of(const std::string & name, const std::string & form = "frame")
{
  for (const auto & record : messages()) {
    if (record.text("name") == name) {
      return record.bytes(form);
    }
  }
  throw std::out_of_range(name);
}

Bytes joined(const std::vector<Bytes> & parts)
{
  Bytes all;
  for (const Bytes & part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace

TEST(MavlinkClass, commands_and_heartbeats_are_urgent_and_wait_for_their_turn)
{
  int commands = 0;
  for (const auto & record : messages()) {
    const DatagramClass found = classify(record.bytes("frame"));
    if (record.text("traffic") == "command") {
      ++commands;
      EXPECT_EQ(found.traffic, TrafficClass::command) << record.text("name");
      EXPECT_FALSE(found.newest_counts) << record.text("name");
    }
  }
  EXPECT_EQ(commands, 7);
}

TEST(MavlinkClass, of_steering_the_newest_counts)
{
  int steering = 0;
  for (const auto & record : messages()) {
    if (record.text("traffic") == "steering") {
      ++steering;
      const DatagramClass found = classify(record.bytes("frame"));
      EXPECT_EQ(found.traffic, TrafficClass::command) << record.text("name");
      EXPECT_TRUE(found.newest_counts) << record.text("name");
    }
  }
  EXPECT_EQ(steering, 6);
}

TEST(MavlinkClass, parameters_missions_files_and_texts_stay_in_order)
{
  int in_order = 0;
  for (const auto & record : messages()) {
    if (record.text("traffic") == "ordered") {
      ++in_order;
      const DatagramClass found = classify(record.bytes("frame"));
      EXPECT_EQ(found.traffic, TrafficClass::ordered) << record.text("name");
      EXPECT_FALSE(found.newest_counts) << record.text("name");
    }
  }
  EXPECT_GE(in_order, 40);
}

TEST(MavlinkClass, version_1_and_signed_frames_are_classified_like_the_others)
{
  for (const auto & record : messages()) {
    const DatagramClass expected = classify(record.bytes("frame"));
    EXPECT_NE(expected.traffic, TrafficClass::other);
    for (const char * form : {"first", "signed"}) {
      if (record.has(form)) {
        const DatagramClass found = classify(record.bytes(form));
        EXPECT_EQ(found.traffic, expected.traffic) << record.text("name") << " " << form;
        EXPECT_EQ(found.key, expected.key) << record.text("name") << " " << form;
      }
    }
  }
}

TEST(MavlinkClass, a_key_names_system_component_and_message)
{
  std::set<std::uint32_t> keyed;
  for (const auto & record : messages()) {
    const DatagramClass found = classify(record.bytes("frame"));
    EXPECT_EQ(found.sender, 7 << 8 | 9);
    if (const auto key = found.key; key && found.newest_counts) {
      EXPECT_EQ(key->system, 7);
      EXPECT_EQ(key->component, 9);
      EXPECT_EQ(std::to_string(key->message), record.text("message"));
      EXPECT_TRUE(keyed.insert(key->message).second);
    }
  }
  EXPECT_GT(keyed.size(), 60U);
  Bytes attitude = frame_of("ATTITUDE");
  const auto key = classify(attitude).key;
  attitude[5] = 8;
  EXPECT_NE(classify(attitude).key, key);
}

TEST(MavlinkClass, of_several_batteries_sensors_or_names_none_replaces_another)
{
  int several = 0;
  for (const auto & record : messages()) {
    if (!record.has("same")) {
      continue;
    }
    ++several;
    const auto key = classify(record.bytes("frame")).key;
    ASSERT_TRUE(key) << record.text("name");
    EXPECT_EQ(classify(record.bytes("same")).key, key) << record.text("name");
    for (const char * field :
         {"port", "target", "target_system", "target_component", "group_mlx", "tc1", "id",
          "compass_id", "axis", "ICAO_address", "name", "ind", "MMSI"})
    {
      const std::string other = std::string("other_") + field;
      if (record.has(other)) {
        EXPECT_NE(classify(record.bytes(other)).key, key) << record.text("name") << " " << field;
      }
    }
  }
  EXPECT_EQ(several, 21);
}

TEST(MavlinkClass, a_field_that_was_cut_off_as_zero_is_zero)
{
  Bytes battery = frame_of("BATTERY_STATUS");
  const auto payload = battery.begin() + 10;
  // The id is the byte 32; a frame of 20 bytes of payload has none.
  std::fill(payload + 20, payload + battery[1], std::uint8_t{0});
  Bytes shortened(battery.begin(), payload + 20);
  shortened.insert(shortened.end(), {0, 0});
  shortened[1] = 20;
  ASSERT_TRUE(classify(battery).newest_counts);
  EXPECT_EQ(classify(shortened).key, classify(battery).key);
}

TEST(MavlinkClass, unknown_messages_are_telemetry_that_gives_way_to_nothing)
{
  Bytes unknown = frame_of("ATTITUDE");
  unknown[7] = unknown[8] = unknown[9] = 0xff;
  EXPECT_EQ(classify(unknown).traffic, TrafficClass::telemetry);
  EXPECT_FALSE(classify(unknown).newest_counts);
  unknown[7] = 3;  // below CHANGE_OPERATOR_CONTROL
  unknown[8] = unknown[9] = 0;
  EXPECT_EQ(classify(unknown).traffic, TrafficClass::telemetry);
}

TEST(MavlinkClass, a_datagram_of_several_frames_is_as_urgent_as_the_most_urgent_and_has_no_key)
{
  const Bytes attitude = frame_of("ATTITUDE");
  const Bytes text = frame_of("STATUSTEXT", "first");
  const Bytes command = frame_of("COMMAND_LONG", "signed");
  EXPECT_EQ(classify(joined({attitude, attitude})).traffic, TrafficClass::telemetry);
  EXPECT_FALSE(classify(joined({attitude, attitude})).key);
  EXPECT_FALSE(classify(joined({attitude, attitude})).newest_counts);
  EXPECT_EQ(classify(joined({attitude, text})).traffic, TrafficClass::ordered);
  EXPECT_EQ(classify(joined({attitude, command, text})).traffic, TrafficClass::command);
  EXPECT_EQ(classify(joined({attitude, text, command})).sender, classify(attitude).sender);
  Bytes another = attitude;
  another[6] ^= 1;
  EXPECT_FALSE(classify(joined({attitude, another, attitude})).sender);

  const Bytes all = joined({attitude, command, text});
  ByteView rest = all;
  for (const Bytes & frame : {attitude, command, text}) {
    const auto taken = take_mavlink_frame(rest);
    ASSERT_TRUE(taken);
    EXPECT_EQ(Bytes(taken->begin(), taken->end()), frame);
  }
  EXPECT_TRUE(rest.empty());
  EXPECT_FALSE(take_mavlink_frame(rest));
}

TEST(MavlinkClass, anything_else_is_ordinary_data)
{
  EXPECT_EQ(classify({}).traffic, TrafficClass::other);
  const Bytes attitude = frame_of("ATTITUDE");
  EXPECT_EQ(classify(joined({attitude, {0x55}})).traffic, TrafficClass::other);
  Bytes flagged = attitude;
  flagged[2] = 0x02;  // an incompatibility flag that does not exist
  EXPECT_EQ(classify(flagged).traffic, TrafficClass::other);
  EXPECT_EQ(mavlink_frame_size(flagged), 0U);
  for (const Bytes & whole :
       {attitude, frame_of("ATTITUDE", "first"), frame_of("ATTITUDE", "signed")})
  {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      ByteView cut = ByteView(whole).first(size);
      EXPECT_EQ(classify(cut).traffic, TrafficClass::other);
      EXPECT_FALSE(take_mavlink_frame(cut));
    }
  }
}

TEST(MavlinkClass, the_size_of_a_frame_is_known_once_the_bytes_are_there_that_tell_it)
{
  const auto sizes = [](const Bytes & frame) {
    std::vector<std::size_t> found;
    for (std::size_t size = 0; size < 5; ++size) {
      found.push_back(mavlink_frame_size(ByteView(frame).first(size)));
    }
    return found;
  };
  const auto expect = [](std::size_t one, std::size_t two, std::size_t whole) {
    return std::vector<std::size_t>{0, one, two, whole, whole};
  };
  EXPECT_EQ(sizes({0xfe, 28, 0, 1, 1}), expect(8, 36, 36));
  EXPECT_EQ(sizes({0xfe, 28, 3, 1, 1}), expect(8, 36, 36));  // 3 is the sequence number
  EXPECT_EQ(sizes({0xfd, 28, 0, 0, 0}), expect(12, 12, 40));
  EXPECT_EQ(sizes({0xfd, 28, 1, 0, 0}), expect(12, 12, 53));
  EXPECT_EQ(sizes({0xfd, 28, 2, 0, 0}), expect(12, 12, 0));
}

TEST(MavlinkClass, no_bytes_read_beyond_their_end)
{
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    // On the heap and of its exact size, so that the address sanitizer sees a read beyond it.
    Bytes bytes(random() % 40);
    for (std::uint8_t & byte : bytes) {
      byte = static_cast<std::uint8_t>(random() % 4 == 0 ? random() % 30 : random());
    }
    if (!bytes.empty()) {
      bytes[0] = random() % 2 == 0 ? 0xfe : 0xfd;
    }
    Bytes exact(bytes);
    exact.shrink_to_fit();
    classify(exact);
    ByteView rest = exact;
    while (take_mavlink_frame(rest)) {
    }
  }
}

}  // namespace pqc_tunnel
