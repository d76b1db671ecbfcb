// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "link/paths/link_settings.hpp"
#include "link/shaping/bundle.hpp"
#include "property.hpp"
#include "protocol/streams/stream.hpp"
#include "protocol/wire/control_frame.hpp"
#include "protocol/wire/wire.hpp"

// Headers of datagrams, control messages, parts of streams and bundles: what is understood is encoded to the same bytes.

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
  encode(header->key_id, header->sequence, again);
  must(std::ranges::equal(again, datagram.first(again.size())), "a header is encoded as it was");
  must(!is_hello(datagram), "a datagram is a sealed frame or a hello, not both");
}

void check_control(ByteView text)
{
  if (const auto frame = decode_control(text)) {
    must(std::ranges::equal(encode(*frame), text), "a control message is encoded as it was");
  }
}

void check_stream_part(ByteView payload)
{
  if (const auto part = parse_stream_part(payload)) {
    must(std::ranges::equal(encode(*part), payload), "a part of a stream is encoded as it was");
    must(part->offset + part->bytes.size() <= part->total, "a part lies within its message");
  }
}

void check_bundle(ByteView payload)
{
  Bytes unpacked;
  unpack_bundle(payload, unpacked);
  BundleWriter writer;
  Bytes again;
  std::size_t taken = 0;
  MutableBytes rest = unpacked;
  for (; const auto datagram = take_from_bundle(rest); ++taken) {
    must(!datagram->empty(), "a bundle has no empty datagrams");
    const std::size_t before = again.size();
    const std::size_t size = writer.size_of(*datagram);
    writer.append(*datagram, again);
    must(again.size() == before + size, "an entry is as long as its writer says");
  }
  must(
    rest.empty() && taken <= max_bundled, "what is unpacked is whole datagrams, and not too many");
  must(again.size() <= payload.size(), "the writer makes no longer bundle than it was");
  Bytes unpacked_again;
  unpack_bundle(again, unpacked_again);
  must(unpacked_again == unpacked, "what is written is what was unpacked");
}

}  // namespace
}  // namespace pqc_tunnel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  using namespace pqc_tunnel::fuzz;
  check_header({data, size});
  check_control({data, size});
  check_stream_part({data, size});
  check_bundle({data, size});
  return 0;
}
