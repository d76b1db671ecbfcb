// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <vector>

#include "byte_program.hpp"
#include "property.hpp"
#include "protocol/streams/reassembly.hpp"

// Fragments of datagrams that another end has cut, as a network brings them, beside fragments of any content under other
// keys.

namespace pqc_tunnel::fuzz
{
namespace
{

constexpr std::uint64_t honest_keys = 1;
constexpr std::uint64_t other_keys = 2;

void check_header(ByteView payload)
{
  const auto fragment = parse_fragment(payload);
  if (!fragment) {
    return;
  }
  Bytes again(fragment_header);
  write_fragment_header(std::span(again).first<fragment_header>(), fragment->place, fragment->back);
  again.insert(again.end(), fragment->bytes.begin(), fragment->bytes.end());
  must(std::ranges::equal(again, payload), "a fragment is encoded as it was");
  must(
    fragment->place.offset + fragment->bytes.size() <= longest_fragmented,
    "a fragment lies within a datagram");
}

class Ends
{
public:
  explicit Ends(ByteProgram & program) : program_(program) {}

  // Cuts a datagram into fragments; all are on their way.
  void send()
  {
    const std::size_t size = 2 + program_.u16() % (longest_fragmented - 1);
    Bytes datagram(size);
    for (std::size_t i = 0; i < size; ++i) {
      datagram[i] = static_cast<std::uint8_t>(sequence_ * 37 + i * 11 + (i >> 8));
    }
    const std::uint64_t first = sequence_;
    for (std::size_t offset = 0; offset < size;) {
      const std::size_t room = 1 + program_.u8() * 4U;
      const std::size_t left = size - offset - (offset == 0 ? 1 : 0);  // at least two fragments
      const std::size_t taken = std::min(room, left);
      const FragmentPlace place{offset, offset + taken == size};
      Bytes payload(fragment_header);
      write_fragment_header(std::span(payload).first<fragment_header>(), place, sequence_ - first);
      payload.insert(
        payload.end(), datagram.begin() + static_cast<std::ptrdiff_t>(offset),
        datagram.begin() + static_cast<std::ptrdiff_t>(offset + taken));
      on_way_.push_back({sequence_++, std::move(payload)});
      offset += taken;
    }
    sent_[first] = std::move(datagram);
  }
  // One of those on their way arrives. The replay window refuses copies.
  void arrive()
  {
    if (on_way_.empty()) {
      return;
    }
    const auto one = on_way_.begin() + static_cast<std::ptrdiff_t>(program_.u8() % on_way_.size());
    const auto fragment = parse_fragment(one->payload);
    must(fragment.has_value(), "what an end sends is no malformed fragment");
    const std::uint64_t origin = one->sequence - fragment->back;
    const auto malformed = counted(Drop::malformed);
    if (const auto whole = reassembly_.handle({honest_keys, origin}, *fragment, counters_, now_)) {
      const auto found = sent_.find(origin);
      must(found != sent_.end(), "a datagram comes out once");
      must(std::ranges::equal(*whole, found->second), "a datagram comes out as it went in");
      sent_.erase(found);
    }
    must(counted(Drop::malformed) == malformed, "honest fragments contradict nothing");
    on_way_.erase(one);
  }
  void lose()
  {
    if (!on_way_.empty()) {
      on_way_.erase(on_way_.begin() + static_cast<std::ptrdiff_t>(program_.u8() % on_way_.size()));
    }
  }
  void invent()
  {
    const std::uint64_t origin = program_.u8();
    const ByteView payload = program_.bytes(program_.u8());
    check_header(payload);
    if (const auto fragment = parse_fragment(payload)) {
      const auto whole = reassembly_.handle({other_keys, origin}, *fragment, counters_, now_);
      must(!whole || whole->size() <= longest_fragmented, "a datagram has a length");
    }
  }
  void wait()
  {
    now_ += std::chrono::milliseconds(program_.u8() * 10);
    reassembly_.handle_timeout(counters_, now_);
  }

private:
  std::uint64_t counted(Drop drop) const { return counters_.drops[static_cast<std::size_t>(drop)]; }

  struct Frame
  {
    std::uint64_t sequence;
    Bytes payload;
  };
  ByteProgram & program_;
  Instant now_{std::chrono::hours(1)};
  TrafficCounters counters_;
  Reassembly reassembly_{std::chrono::seconds(1)};
  std::uint64_t sequence_ = 0;
  std::vector<Frame> on_way_;
  std::map<std::uint64_t, Bytes> sent_;  // by the number of the first frame
};

void run(ByteProgram program)
{
  Ends ends(program);
  while (!program.done()) {
    switch (program.pick(8)) {
      case 0:
        ends.send();
        break;
      case 1:
        ends.lose();
        break;
      case 2:
        ends.invent();
        break;
      case 3:
        ends.wait();
        break;
      default:
        ends.arrive();
    }
  }
}

}  // namespace
}  // namespace pqc_tunnel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  pqc_tunnel::fuzz::check_header({data, size});
  pqc_tunnel::fuzz::run(pqc_tunnel::fuzz::ByteProgram({data, size}));
  return 0;
}
