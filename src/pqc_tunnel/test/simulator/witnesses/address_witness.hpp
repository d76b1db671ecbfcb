// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__WITNESSES__ADDRESS_WITNESS_HPP_
#define SIMULATOR__WITNESSES__ADDRESS_WITNESS_HPP_

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "simulator/witnesses/violation.hpp"
#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{

// Watches what addresses get that answer nothing: at most three times the bytes that came from there.
class AddressWitness
{
public:
  // `strangers`: the addresses; nobody is there.
  AddressWitness(WiredPair & pair, std::vector<Endpoint> strangers)
  : pair_(pair), strangers_(std::move(strangers))
  {
  }

  void arrived(Side to, const Endpoint & from, std::size_t bytes)
  {
    if (is_stranger(from)) {
      received_[{to, from.address}] += bytes;
    }
  }
  // To be called after everything that happens; throws Violation.
  void look()
  {
    for (const Side side : both_sides) {
      for (const auto & [to, bytes] : std::exchange(pair_.sent_elsewhere(side), {})) {
        if (is_stranger(to)) {
          const std::pair where(side, to.address);
          sent_[where] += bytes.size();
          require(
            sent_[where] <= 3 * received_[where], "bytes to unproven addresses",
            "an address that answers nothing gets more than three times what came from it");
        }
      }
    }
  }

private:
  using Where = std::pair<Side, decltype(Endpoint::address)>;

  bool is_stranger(const Endpoint & address) const
  {
    return std::ranges::find(strangers_, address) != strangers_.end();
  }

  WiredPair & pair_;
  std::vector<Endpoint> strangers_;
  std::map<Where, std::size_t> received_;
  std::map<Where, std::size_t> sent_;
};

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__WITNESSES__ADDRESS_WITNESS_HPP_
