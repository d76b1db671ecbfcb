// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "blaster/numbered_datagram.hpp"

namespace pqc_tunnel::blaster
{
namespace
{

const NumberedDatagram example{0x01020304, 1, 77, Instant(Duration(123456789))};

Bytes written(std::size_t size, const NumberedDatagram & datagram = example)
{
  Bytes bytes(size);
  write_numbered(datagram, bytes);
  return bytes;
}

TEST(NumberedDatagram, reads_back_as_it_was_written)
{
  for (const std::size_t size : {min_numbered_size, std::size_t{41}, std::size_t{256}}) {
    const auto read = read_numbered(written(size));
    ASSERT_TRUE(read) << size;
    EXPECT_EQ(read->run, example.run);
    EXPECT_EQ(read->direction, example.direction);
    EXPECT_EQ(read->number, example.number);
    EXPECT_EQ(read->sent, example.sent);
  }
}

TEST(NumberedDatagram, any_flipped_bit_is_detected)
{
  const Bytes intact = written(83);
  for (std::size_t bit = 0; bit < 8 * intact.size(); ++bit) {
    Bytes altered = intact;
    altered[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    EXPECT_FALSE(read_numbered(altered)) << bit;
  }
}

TEST(NumberedDatagram, any_change_of_length_is_detected)
{
  const Bytes intact = written(90);
  for (std::size_t size = 0; size < intact.size(); ++size) {
    EXPECT_FALSE(read_numbered(ByteView(intact).first(size))) << size;
  }
  Bytes longer = intact;
  longer.push_back(0);
  EXPECT_FALSE(read_numbered(longer));
}

TEST(NumberedDatagram, the_padding_depends_on_the_number)
{
  NumberedDatagram next = example;
  ++next.number;
  const Bytes one = written(64);
  const Bytes other = written(64, next);
  EXPECT_FALSE(
    std::equal(one.begin() + min_numbered_size, one.end(), other.begin() + min_numbered_size));
}

}  // namespace
}  // namespace pqc_tunnel::blaster
