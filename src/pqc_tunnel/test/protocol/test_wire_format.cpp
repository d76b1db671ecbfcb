// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "pqc_tunnel/protocol/wire.hpp"
#include "protocol/tunnel.hpp"
#include "support/identities.hpp"

// The numbers here are typed anew from the protocol's page, never taken from the code.

namespace pqc_tunnel::test
{
namespace
{

FrameHeader example()
{
  FrameHeader header;
  header.type = FrameType::control;
  header.suite = {0xa1, 0xa2, 0xa3, 0xa4};
  header.session.bytes = {1, 2, 3, 4, 5, 6, 7, 8};
  header.sequence = 0x1112131415161718;
  header.epoch = Epoch{0xee};
  return header;
}

Bytes datagram_with(const FrameHeader & header, std::size_t size = 38)
{
  Bytes bytes(size);
  encode(header, std::span(bytes).first<22>());
  return bytes;
}

TEST(FrameHeader, is_22_bytes_at_fixed_places_in_network_order)
{
  const Bytes bytes = datagram_with(example());
  const Bytes expected = {
    0x21,                                         // version 2, type 1
    0xa1, 0xa2, 0xa3, 0xa4,                       // KEM, its parameters, signature, its parameters
    1,    2,    3,    4,    5,    6,    7,    8,  // session
    0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,  // sequence
    0xee,                                            // epoch
  };
  ASSERT_EQ(expected.size(), 22u);
  EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 22), expected);
}

TEST(FrameHeader, and_tag_add_38_bytes_to_a_datagram)
{
  EXPECT_EQ(Tunnel::frame_headroom, 22u);
  EXPECT_EQ(Tunnel::frame_tailroom, 16u);
  EXPECT_EQ(Tunnel::frame_overhead, 38u);
  EXPECT_EQ(frame_header_size + tag_size, 38u);
}

TEST(FrameHeader, is_read_back_as_it_was_written)
{
  FrameHeader header = example();
  EXPECT_EQ(decode_frame_header(datagram_with(header)), header);
  header.type = FrameType::data;
  header.sequence = 0;
  header.epoch = Epoch{0};
  EXPECT_EQ(decode_frame_header(datagram_with(header, 1500)), header);
}

TEST(FrameHeader, needs_room_for_itself_and_the_tag)
{
  for (std::size_t size = 0; size < 38; ++size) {
    Bytes bytes = datagram_with(example());
    bytes.resize(size);
    EXPECT_FALSE(decode_frame_header(bytes)) << size;
  }
}

TEST(FrameHeader, of_any_other_version_or_type_is_refused)
{
  Bytes bytes = datagram_with(example());
  for (unsigned first = 0; first < 256; ++first) {
    bytes[0] = static_cast<std::uint8_t>(first);
    EXPECT_EQ(decode_frame_header(bytes).has_value(), first == 0x20 || first == 0x21) << first;
  }
}

TEST(FrameHeader, names_the_suite_without_its_aead)
{
  const Suite & aes = suite("cs-mlkem768-aesgcm-mldsa65");
  const Suite & chacha = suite("cs-mlkem768-chacha20poly1305-mldsa65");
  EXPECT_EQ(header_suite(aes.wire_id), header_suite(chacha.wire_id));
  const std::array<std::uint8_t, 4> expected = {
    aes.wire_id.kem, aes.wire_id.kem_param, aes.wire_id.sig, aes.wire_id.sig_param};
  EXPECT_EQ(header_suite(aes.wire_id), expected);
}

TEST(Limits, are_those_of_the_protocol)
{
  EXPECT_EQ(rekey_asked_packets, 8'388'608u);
  EXPECT_EQ(max_packets_per_key, 268'435'456u);
  EXPECT_EQ(max_failures_per_key, 68'719'476'736u);
}

}  // namespace
}  // namespace pqc_tunnel::test
