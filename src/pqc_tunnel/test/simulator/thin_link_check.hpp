// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__THIN_LINK_CHECK_HPP_
#define SIMULATOR__THIN_LINK_CHECK_HPP_

#include <cstdint>

namespace pqc_tunnel::test
{

// Offers a thin link telemetry that it cannot carry and commands that it can, at times drawn from the seed. Throws a
// Violation unless every command leaves, in order, and telemetry gives way.
void expect_commands_kept(std::uint64_t seed);
// Offers it more for addresses that have not proved themselves than it carries. Throws a Violation unless commands overtake
// all of that.
void expect_strangers_last(std::uint64_t seed);
// Fetches a key over it while ratchets go on. Throws a Violation unless what has come of the key stays, and the fetch keeps to
// its share of the airtime.
void expect_fetch_kept(std::uint64_t seed);

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__THIN_LINK_CHECK_HPP_
