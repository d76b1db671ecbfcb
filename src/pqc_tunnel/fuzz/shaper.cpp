// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/shaping/bundle.hpp"
#include "link/shaping/shared_shaper.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "byte_program.hpp"
#include "link/mavlink/mavlink_class.hpp"
#include "property.hpp"
#include "protocol/wire/wire.hpp"

// What an application may hand to a thin link: anything. Nothing is made up, altered or lost without being counted, no
// frame is too long, and memory is bounded.

namespace pqc_tunnel::fuzz
{
namespace
{

constexpr std::size_t peers = 2;
constexpr std::size_t most_memory = std::size_t{(256U + 32 + 5 * 8) * 1024};

void check_class(ByteView datagram)
{
  const DatagramClass kind = classify(datagram);
  ByteView rest = datagram;
  std::size_t frames = 0;
  for (std::size_t before = rest.size(); take_mavlink_frame(rest); before = rest.size()) {
    must(rest.size() < before, "a frame has bytes");
    ++frames;
  }
  must(
    kind.traffic == TrafficClass::other || rest.empty(),
    "what is classified is MAVLink to its end");
  must(!kind.key || frames == 1, "only a frame by itself has a key");
  must(!kind.newest_counts || kind.key, "only what has a key gives way");
}

class Queues
{
public:
  explicit Queues(ByteProgram & program)
  : link_{
      "link", program.flag() ? LinkType::serial : LinkType::udp, Carry::all,
      sealed_overhead + 1 + program.u16() % 1000, 1.0 + static_cast<double>(program.u16())},
    shaper_(link_, peers)
  {
  }

  void offer(std::size_t peer, ByteView datagram)
  {
    check_class(datagram);
    shaper_.of(peer).offer(datagram, now_);
    offered_ += datagram.size();
    check_memory(peer);
  }
  void offer_sealed(std::size_t peer, TrafficClass traffic, ByteView frame)
  {
    shaper_.of(peer).offer_sealed({traffic, {}}, frame, {}, now_);
    offered_ += frame.size();
    check_memory(peer);
  }
  void take()
  {
    while (const auto turn = shaper_.next_frame(now_)) {
      must(turn->peer < peers, "a frame belongs to a peer");
      const ShapedFrame & shaped = turn->shaped;
      must(shaped.frame.size() <= link_.mtu, "a frame fits the link");
      if (shaped.kind == ShapedFrame::Kind::fragment) {
        take_fragment(turn->peer, shaped);
        continue;
      }
      must(shaped.datagrams > 0, "a frame carries something");
      const bool sealed = shaped.kind == ShapedFrame::Kind::sealed;
      MutableBytes payload =
        sealed ? shaped.frame
               : shaped.frame.subspan(sealed_header, shaped.frame.size() - sealed_overhead);
      std::size_t parts = 1;
      if (shaped.kind == ShapedFrame::Kind::bundle) {
        Bytes unpacked;
        unpack_bundle(payload, unpacked);
        MutableBytes rest = unpacked;
        for (parts = 0; const auto one = take_from_bundle(rest); ++parts) {
          sent_ += one->size();
        }
      } else {
        sent_ += payload.size();
      }
      must(parts == shaped.datagrams, "a frame has as many datagrams as it says");
    }
    must(sent_ <= offered_, "no more is sent than was offered");
    must(shaper_.next_timeout() > now_, "nothing is due that was not handed out");
  }
  void give_back(std::size_t peer)
  {
    begun_.at(peer) = 0;
    for (const Bytes & datagram : shaper_.of(peer).take_unsealed()) {
      offered_ -= datagram.size();
    }
    must(!shaper_.of(peer).has_unsealed(), "all that is not sealed is given back");
  }
  void wait(std::size_t milliseconds) { now_ += std::chrono::milliseconds(milliseconds); }
  void hear(std::size_t bytes) { shaper_.handle_arrival(bytes); }
  void check_counts()
  {
    while (shaper_.next_timeout() != Instant::max()) {
      now_ = std::max(now_, shaper_.next_timeout());
      take();
    }
    for (std::size_t c = 0; c < traffic_classes; ++c) {
      ShaperCounts counts;
      for (std::size_t peer = 0; peer < peers; ++peer) {
        counts += shaper_.of(peer).counts(static_cast<TrafficClass>(c));
      }
      must(
        counts.offered ==
          counts.sent + counts.conflated + counts.full + counts.stale + counts.oversize,
        "what was offered is counted where it went");
    }
  }

private:
  void take_fragment(std::size_t peer, const ShapedFrame & shaped)
  {
    std::size_t & begun = begun_.at(peer);
    begun = shaped.place.offset == 0 ? 0 : begun;
    must(shaped.place.offset == begun, "fragments of one datagram follow each other");
    must(shaped.datagrams == (shaped.place.is_last ? 1 : 0), "a datagram ends once");
    begun += shaped.frame.size() - sealed_overhead - fragment_header;
    must(begun <= longest_fragmented, "no longer datagram leaves in fragments");
    sent_ += shaped.place.is_last ? begun : 0;
  }
  void check_memory(std::size_t peer)
  {
    std::size_t memory = 0;
    for (std::size_t c = 0; c < traffic_classes; ++c) {
      memory += shaper_.of(peer).waiting_memory(static_cast<TrafficClass>(c));
    }
    must(memory <= most_memory, "what waits is bounded");
  }

  LinkSettings link_;
  SharedShaper shaper_;
  Instant now_{std::chrono::hours(1)};
  std::size_t offered_ = 0;  // bytes
  std::size_t sent_ = 0;
  std::array<std::size_t, peers> begun_ = {};  // bytes of a datagram that leaves in fragments
};

void run(ByteProgram program)
{
  Queues queues(program);
  while (!program.done()) {
    const std::size_t peer = program.pick(peers);
    switch (program.pick(6)) {
      case 0:
      case 1:
        queues.offer(peer, program.bytes(program.u8() * (program.flag() ? 8U : 1U) + 1U));
        break;
      case 2: {
        const auto traffic = static_cast<TrafficClass>(program.pick(traffic_classes));
        queues.offer_sealed(peer, traffic, program.bytes(program.u16() % 1300));
        break;
      }
      case 3:
        queues.wait(program.u8());
        break;
      case 4:
        queues.hear(program.u8());
        break;
      default:
        queues.give_back(peer);
    }
    queues.take();
  }
  queues.check_counts();
}

}  // namespace
}  // namespace pqc_tunnel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  pqc_tunnel::fuzz::run(pqc_tunnel::fuzz::ByteProgram({data, size}));
  return 0;
}
