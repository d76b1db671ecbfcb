// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "pqc_tunnel/protocol/wire.hpp"
#include "property.hpp"
#include "protocol/control_frame.hpp"

// Datagram headers and control frames: each parsed frame must encode to the same bytes.

namespace pqc_tunnel::fuzz
{
namespace
{

void check_header(ByteView datagram)
{
  const auto header = decode_frame_header(datagram);
  if (!header) {
    return;
  }
  std::array<std::uint8_t, frame_header_size> again = {};
  encode(*header, again);
  must(std::ranges::equal(again, datagram.first(again.size())), "a header is encoded as it was");
  must(decode_frame_header(datagram) == header, "a header is decoded the same way twice");
}

void check_control(ByteView text)
{
  const auto frame = decode_control(text);
  if (!frame) {
    return;
  }
  Bytes expected(text.begin(), text.end());
  expected[1] = 0;  // flags: none defined, none obeyed, none sent
  must(encode(*frame) == expected, "a control frame is encoded as it was");
}

}  // namespace
}  // namespace pqc_tunnel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  pqc_tunnel::fuzz::check_header({data, size});
  pqc_tunnel::fuzz::check_control({data, size});
  return 0;
}
