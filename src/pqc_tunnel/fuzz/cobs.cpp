// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/framing/cobs.hpp"

#include <algorithm>

#include "byte_program.hpp"
#include "property.hpp"

// A serial line that begins with anything: once a zero has passed, frames come out as they went in.

namespace pqc_tunnel::fuzz
{
namespace
{

constexpr std::size_t most = 700;

void run(ByteProgram program)
{
  CobsDecoder decoder(most);
  const ByteView noise = program.bytes(program.u16());
  ByteView line = noise;
  while (const auto frame = decoder.next(line)) {
    must(frame->size() <= most, "a frame is no longer than allowed");
    must(!frame->empty(), "a frame is not empty");
  }
  must(line.empty(), "all bytes are consumed");
  Bytes stream{0};
  std::vector<Bytes> sent;
  while (!program.done()) {
    const ByteView bytes = program.bytes(1 + program.u16() % most);
    if (bytes.empty()) {
      break;
    }
    sent.emplace_back(bytes.begin(), bytes.end());
    const std::size_t before = stream.size();
    append_cobs(bytes, stream);
    must(stream.size() - before <= cobs_bound(bytes.size()), "framing adds little");
    must(
      std::ranges::count(stream.begin() + static_cast<std::ptrdiff_t>(before), stream.end(), 0) ==
        1,
      "one zero ends a frame");
  }
  ByteView rest(stream);
  // The zero in front may complete what the noise began.
  ByteView zero = rest.first(1);
  rest = rest.subspan(1);
  decoder.next(zero);
  for (const Bytes & expected : sent) {
    const auto frame = decoder.next(rest);
    must(frame && std::ranges::equal(*frame, expected), "a frame comes out as it went in");
  }
  must(!decoder.next(rest), "nothing else comes out");
}

}  // namespace
}  // namespace pqc_tunnel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  pqc_tunnel::fuzz::run(pqc_tunnel::fuzz::ByteProgram({data, size}));
  return 0;
}
