// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "link/paths/link_settings.hpp"
#include "link/shaping/bundle.hpp"
#include "protocol/wire/wire.hpp"
#include "support/hex.hpp"

namespace pqc_tunnel::test
{
namespace
{

std::vector<Bytes> unpacked(ByteView bundle)
{
  Bytes bytes;
  unpack_bundle(bundle, bytes);
  std::vector<Bytes> datagrams;
  MutableBytes rest = bytes;
  while (const auto datagram = take_from_bundle(rest)) {
    datagrams.emplace_back(datagram->begin(), datagram->end());
  }
  EXPECT_TRUE(rest.empty());
  return datagrams;
}

Bytes packed(const std::vector<Bytes> & datagrams)
{
  BundleWriter writer;
  Bytes bundle;
  for (const Bytes & datagram : datagrams) {
    const std::size_t expected = bundle.size() + writer.size_of(datagram);
    writer.append(datagram, bundle);
    EXPECT_EQ(bundle.size(), expected);
  }
  return bundle;
}

// A MAVLink 2 frame whose checksum and signature are any bytes.
Bytes frame_2(
  std::uint8_t sequence, std::uint8_t system, std::uint8_t component, std::uint32_t message,
  const Bytes & payload, std::uint8_t incompatible = 0, std::uint8_t compatible = 0)
{
  Bytes frame = {
    0xfd,
    static_cast<std::uint8_t>(payload.size()),
    incompatible,
    compatible,
    sequence,
    system,
    component,
    static_cast<std::uint8_t>(message),
    static_cast<std::uint8_t>(message >> 8),
    static_cast<std::uint8_t>(message >> 16)};
  frame.insert(frame.end(), payload.begin(), payload.end());
  frame.insert(frame.end(), incompatible == 1 ? 15 : 2, 0xc5);
  return frame;
}

Bytes signed_frame(std::uint8_t sequence, std::string_view signature)
{
  Bytes frame = frame_2(sequence, 1, 1, 30, {}, 1);
  std::ranges::copy(from_hex(signature), frame.end() - 13);
  return frame;
}

TEST(Bundle, leaves_out_what_the_frame_before_says)
{
  const Bytes first = frame_2(254, 1, 1, 30, {7, 8, 9});
  const Bytes next = frame_2(255, 1, 1, 33, {4});
  const Bytes after_wrap = frame_2(0, 1, 1, 70000, {});
  EXPECT_EQ(packed({first, next, after_wrap}), (Bytes{0xe0, 3, 254,  1,    1,    30,   7,
                                                      8,    9, 0xc5, 0xc5,              //
                                                      0x80, 1, 33,   4,    0xc5, 0xc5,  //
                                                      0x90, 0, 112,  0x11, 1,    0xc5, 0xc5}));
  EXPECT_EQ(
    unpacked(packed({first, next, after_wrap})), (std::vector<Bytes>{first, next, after_wrap}));
}

TEST(Bundle, says_again_what_has_changed)
{
  const std::vector<Bytes> frames = {
    frame_2(1, 1, 1, 30, {1}), frame_2(3, 1, 1, 30, {2}), frame_2(4, 1, 154, 30, {3}),
    frame_2(5, 2, 154, 30, {3}), frame_2(6, 2, 154, 30, {4}, 1)};
  EXPECT_EQ(unpacked(packed(frames)), frames);
  EXPECT_EQ(packed(frames).size(), (8 + 1) + (6 + 1) + (7 + 1) + (7 + 1) + (5 + 1 + 13U));
}

TEST(Bundle, leaves_out_of_a_signature_what_the_one_before_says)
{
  const Bytes first = signed_frame(1, "07010203040506aaaaaaaaaaaa");
  const Bytes next = signed_frame(2, "07ff0503040506bbbbbbbbbbbb");
  const Bytes other_link = signed_frame(3, "08ff0603040506cccccccccccc");
  const Bytes later = signed_frame(4, "08000004040506dddddddddddd");
  const Bytes unsigned_one = frame_2(5, 1, 1, 30, {1});
  const Bytes again = signed_frame(6, "08010004040506dddddddddddd");
  const std::vector<Bytes> frames = {first, next, other_link, later, unsigned_one, again};
  EXPECT_EQ(unpacked(packed(frames)), frames);
  const auto size = [&](std::size_t count) {
    return packed({frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(count)}).size();
  };
  EXPECT_EQ(
    packed({first, next}),
    from_hex("ec000101011ec5c507010203040506aaaaaaaaaaaa88001ec5c5ff05bbbbbbbbbbbb"));
  EXPECT_EQ(size(3) - size(2), 5 + 13U);
  EXPECT_EQ(size(4) - size(3), 5 + 13U);
  EXPECT_EQ(size(6) - size(5), 5 + 13U) << "the frame before has no signature";
}

TEST(Bundle, keeps_whole_what_an_entry_can_not_say)
{
  const std::vector<Bytes> whole = {
    {0xfe, 1, 1, 0, 1, 0, 5, 0xc5, 0xc5},   // MAVLink 1
    frame_2(1, 1, 1, 30, {1}, 2),           // a flag that nobody knows
    frame_2(1, 1, 1, 30, {1}, 0, 1),        // as well
    {0xfd, 5, 0, 0, 1, 1, 1, 30, 0, 0, 1},  // cut
    {0xfd},
    Bytes(300, 0xfd)};
  for (const Bytes & datagram : whole) {
    EXPECT_EQ(packed({datagram}).size(), datagram.size() + 2);
  }
  EXPECT_EQ(unpacked(packed(whole)), whole);
}

TEST(Bundle, ends_at_an_entry_that_is_malformed)
{
  const Bytes good = frame_2(1, 1, 1, 30, {1});
  for (const Bytes & bad :
       {Bytes{0x80}, Bytes{0xe4, 0, 1, 1, 1, 1, 0, 0}, Bytes{0xe0, 3, 1, 1, 1, 30, 7, 8, 9, 0},
        Bytes{0xec, 0, 1, 1, 1, 1, 0, 0}, Bytes{0xe8, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
        Bytes{0x84, 0, 1, 0, 0}, Bytes{0x81, 0, 1, 0, 0}, Bytes{0}, Bytes{0, 0, 1},
        Bytes{0, 3, 1, 1}})
  {
    Bytes bundle = packed({good});
    bundle.insert(bundle.end(), bad.begin(), bad.end());
    EXPECT_EQ(unpacked(bundle), std::vector<Bytes>{good});
  }
  EXPECT_EQ(unpacked(Bytes{0xc0, 0, 1, 1, 30, 0, 0}), std::vector<Bytes>{}) << "no number before";
  EXPECT_EQ(unpacked(Bytes{0xa0, 0, 1, 30, 0, 0}), std::vector<Bytes>{}) << "no sender before";
  Bytes without_signer = {0xe8, 0, 1, 1, 1, 30};
  without_signer.resize(without_signer.size() + 2 + 13);
  EXPECT_EQ(unpacked(without_signer), std::vector<Bytes>{}) << "no signer before";
}

TEST(Bundle, is_unpacked_to_no_more_datagrams_than_a_bundle_may_have)
{
  const std::vector<Bytes> frames(200, frame_2(1, 1, 1, 30, {}));
  EXPECT_EQ(unpacked(packed(frames)).size(), max_bundled);
}

TEST(Bundle, gives_back_any_mixture_of_datagrams)
{
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t limit) {
    return static_cast<std::uint32_t>(random()) % limit;
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<Bytes> datagrams;
    for (std::uint32_t i = below(20) + 1; i > 0; --i) {
      Bytes payload(below(256));
      std::ranges::generate(payload, [&] { return static_cast<std::uint8_t>(random()); });
      if (below(4) == 0) {
        payload.push_back(0);
        datagrams.push_back(std::move(payload));
      } else {
        datagrams.push_back(frame_2(
          static_cast<std::uint8_t>(below(3) > 0 ? datagrams.size() : below(256)),
          static_cast<std::uint8_t>(below(2)), static_cast<std::uint8_t>(below(2)),
          below(2) > 0 ? below(256) : below(1U << 24), payload, static_cast<std::uint8_t>(below(3)),
          static_cast<std::uint8_t>(below(8) / 7)));
        Bytes & frame = datagrams.back();
        if (frame[2] == 1) {
          std::generate(frame.end() - 13, frame.end() - 6, [&] { return below(16) / 15; });
        }
      }
    }
    ASSERT_EQ(unpacked(packed(datagrams)), datagrams);
  }
}

}  // namespace
}  // namespace pqc_tunnel::test
