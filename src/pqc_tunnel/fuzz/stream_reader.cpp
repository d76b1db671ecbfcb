// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/stream_reader.hpp"

#include <algorithm>

#include "byte_program.hpp"
#include "property.hpp"

// The stream reader against the plainest one thinkable, which keeps everything it was ever fed.

namespace pqc_tunnel::fuzz
{
namespace
{

using Status = StreamReader::Status;

class PlainReader
{
public:
  PlainReader(SizeRange first, std::optional<SizeRange> second) : first_(first), second_(second) {}

  Status feed(ByteView bytes)
  {
    all_.insert(all_.end(), bytes.begin(), bytes.end());
    if (all_.size() < 4) {
      return Status::incomplete;
    }
    const std::size_t size =
      std::size_t{all_[0]} << 24 | std::size_t{all_[1]} << 16 | std::size_t{all_[2]} << 8 | all_[3];
    if (!first_.contains(size) && !(second_ && second_->contains(size))) {
      return Status::refused;
    }
    return all_.size() < 4 + size    ? Status::incomplete
           : all_.size() == 4 + size ? Status::message
                                     : Status::refused;
  }
  Bytes take()
  {
    Bytes body(all_.begin() + 4, all_.end());
    all_.clear();
    return body;
  }

private:
  SizeRange first_;
  std::optional<SizeRange> second_;
  Bytes all_;
};

void run(ByteProgram program)
{
  const std::size_t low = program.u8();
  const SizeRange first{low, low + program.u8()};
  std::optional<SizeRange> second;
  if (program.flag()) {
    const std::size_t other = program.u16();
    second = SizeRange{other, other + program.u8()};
  }
  StreamReader reader;
  reader.expect(first, second);
  PlainReader plain(first, second);
  while (!program.done()) {
    const ByteView piece = program.bytes(program.u8());
    const Status status = reader.feed(piece);
    must(status == plain.feed(piece), "both readers say the same of every piece");
    if (status == Status::refused) {
      return;  // the connection ends
    }
    if (status == Status::message) {
      must(reader.take() == plain.take(), "a message is what was fed");
    }
  }
}

}  // namespace
}  // namespace pqc_tunnel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  pqc_tunnel::fuzz::run(pqc_tunnel::fuzz::ByteProgram({data, size}));
  return 0;
}
