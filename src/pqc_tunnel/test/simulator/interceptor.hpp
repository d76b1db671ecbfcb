// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__INTERCEPTOR_HPP_
#define SIMULATOR__INTERCEPTOR_HPP_

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "pqc_tunnel/protocol/wire.hpp"
#include "simulator/journal.hpp"
#include "support/wired_pair.hpp"

namespace pqc_tunnel::test
{

// Somebody on the way without any key: drops or holds what he picks by direction, key id, kind and size, and lets go later
// what he holds, now and then a copy from an address of his own too. He lets go of no data: how old that is when it comes
// is another matter.
class Interceptor
{
public:
  using IsData = std::function<bool(Side from, const Bytes & datagram)>;

  Interceptor(WiredPair & pair, Journal & journal, IsData is_data, std::uint64_t seed)
  : pair_(pair),
    journal_(journal),
    is_data_(std::move(is_data)),
    dice_(seed),
    active_(dice_.uniform() < 0.5)
  {
  }

  bool active() const { return active_; }
  // What he is up to next; to be called now and then.
  void plan();
  // He takes the datagram, which was to leave from this address.
  bool takes(Side from, const Bytes & datagram, const Endpoint & address);
  // Lets go of all that he holds, and takes nothing more.
  void stop();

private:
  struct Rule
  {
    Side from{};
    bool hold = false;    // or drop
    bool hellos = false;  // or frames
    std::vector<FrameKeyId> keys;
    bool of_others = false;  // not those keys, but any that appears later
    std::size_t least = 0;   // bytes
    std::size_t most = SIZE_MAX;
    Instant until;
    std::vector<std::pair<Bytes, Endpoint>> held;
  };
  bool is_of(const Rule & rule, Side from, const Bytes & datagram) const;
  void release(Rule & rule);
  bool chance(double probability) { return dice_.uniform() < probability; }

  WiredPair & pair_;
  Journal & journal_;
  IsData is_data_;
  SeededRandom dice_;
  bool active_;
  std::map<Side, std::vector<FrameKeyId>> seen_;  // in the order of their first frames
  std::vector<Rule> rules_;
};

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__INTERCEPTOR_HPP_
