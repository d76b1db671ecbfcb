// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__WITNESSES__BLAME_WITNESS_HPP_
#define SIMULATOR__WITNESSES__BLAME_WITNESS_HPP_

#include "simulator/witnesses/violation.hpp"
#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{

// Watches that no suite gets the blame: both ends are genuine and can use all of them, so that whatever fails is the
// network's fault, or that of whoever owns it.
class BlameWitness
{
public:
  // To be called after everything that happens; throws Violation.
  static void look(const Standings & ends)
  {
    require(
      ends.drone.blacklist.empty(), "no blame",
      "a suite is blacklisted although both ends can use it");
  }
};

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__WITNESSES__BLAME_WITNESS_HPP_
