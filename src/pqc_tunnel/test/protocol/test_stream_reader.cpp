// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/stream_reader.hpp"

#include <gtest/gtest.h>

namespace pqc_tunnel::test
{
namespace
{

using Status = StreamReader::Status;

const Bytes body = {1, 2, 3, 4, 5};
const Bytes framed = {0, 0, 0, 5, 1, 2, 3, 4, 5};

StreamReader reader_for(SizeRange range)
{
  StreamReader reader;
  reader.expect(range);
  return reader;
}

TEST(StreamReader, reads_a_message_in_one_piece)
{
  StreamReader reader = reader_for({5, 5});
  EXPECT_EQ(reader.feed(framed), Status::message);
  EXPECT_EQ(reader.take(), body);
}

TEST(StreamReader, reads_a_message_byte_by_byte_and_then_another)
{
  StreamReader reader = reader_for({5, 5});
  for (int message = 0; message < 2; ++message) {
    for (std::size_t i = 0; i + 1 < framed.size(); ++i) {
      EXPECT_EQ(reader.feed(ByteView(framed).subspan(i, 1)), Status::incomplete);
    }
    EXPECT_EQ(reader.feed(ByteView(framed).last(1)), Status::message);
    EXPECT_EQ(reader.take(), body);
  }
}

TEST(StreamReader, continues_after_an_empty_read)
{
  StreamReader reader = reader_for({5, 5});
  EXPECT_EQ(reader.feed({}), Status::incomplete);
  EXPECT_EQ(reader.feed(ByteView(framed).first(4)), Status::incomplete);
  EXPECT_EQ(reader.feed({}), Status::incomplete);
  EXPECT_EQ(reader.feed(ByteView(framed).subspan(4)), Status::message);
}

TEST(StreamReader, rejects_a_length_out_of_range_before_the_body_arrives)
{
  const Bytes lengths[] = {
    {0, 0, 0, 0}, {0, 0, 0, 4}, {0, 0, 0, 8}, {1, 0, 0, 5}, {0xff, 0xff, 0xff, 0xff}};
  for (const Bytes & length : lengths) {
    StreamReader reader = reader_for({5, 7});
    EXPECT_EQ(reader.feed(length), Status::refused);
  }
}

TEST(StreamReader, accepts_sizes_of_either_range_and_none_between)
{
  for (std::uint8_t size = 1; size < 12; ++size) {
    StreamReader reader;
    reader.expect({3, 4}, SizeRange{8, 9});
    const bool allowed = size == 3 || size == 4 || size == 8 || size == 9;
    EXPECT_EQ(reader.feed(Bytes({0, 0, 0, size})), allowed ? Status::incomplete : Status::refused);
  }
}

TEST(StreamReader, refuses_bytes_after_a_message_that_was_not_answered)
{
  Bytes longer = framed;
  longer.push_back(0);
  StreamReader reader = reader_for({5, 5});
  EXPECT_EQ(reader.feed(longer), Status::refused);

  StreamReader later = reader_for({5, 5});
  EXPECT_EQ(later.feed(framed), Status::message);
  EXPECT_EQ(later.feed(Bytes({0})), Status::refused);
}

TEST(StreamReader, without_an_expected_size_accepts_nothing)
{
  StreamReader reader;
  EXPECT_EQ(reader.feed(framed), Status::refused);
}

}  // namespace
}  // namespace pqc_tunnel::test
