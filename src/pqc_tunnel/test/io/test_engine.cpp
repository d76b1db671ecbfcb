// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "io/engine_fixture.hpp"

namespace pqc_tunnel
{
namespace
{

class EngineTest : public EngineFixture
{
protected:
  static Bytes pattern(std::size_t size)
  {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) {
      bytes[i] = static_cast<std::uint8_t>(i * 31 + size);
    }
    return bytes;
  }

  // Tells each end where its application is: the newest local sender.
  void introduce_applications()
  {
    gcs_application_.send(pattern(3));
    drone_application_.send(pattern(4));
    // One of the two may have come before the other's end knew its application.
    ASSERT_TRUE(eventually([this] {
      return traffic(*gcs_).plain_in_packets > 0 && traffic(*drone_).plain_in_packets > 0;
    }));
    ASSERT_TRUE(eventually([this] {
      return traffic(*gcs_).cipher_in_packets > 0 && traffic(*drone_).cipher_in_packets > 0;
    }));
    while (gcs_application_.receive(200)) {
    }
    while (drone_application_.receive(200)) {
    }
  }
};

TEST_F(EngineTest, datagrams_of_every_size_arrive_byte_for_byte_both_ways)
{
  start_pair();
  introduce_applications();
  for (std::size_t size = 1; size <= 1434; ++size) {
    drone_application_.send(pattern(size));
    ASSERT_EQ(gcs_application_.receive(), pattern(size)) << size;
    gcs_application_.send(pattern(size));
    ASSERT_EQ(drone_application_.receive(), pattern(size)) << size;
  }
}

}  // namespace
}  // namespace pqc_tunnel
