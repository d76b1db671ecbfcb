// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__SUMMARY_HPP_
#define PQC_TOOLS__LINK_EMULATOR__SUMMARY_HPP_

#include <string>

#include "emulator.hpp"

namespace pqc_tunnel::link_emulator
{

// Returns the counts of the link so far as one line of JSON.
std::string summary_json(
  const Emulator & emulator, const std::string & profile, std::uint64_t seed, bool finished,
  Instant now);

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__SUMMARY_HPP_
