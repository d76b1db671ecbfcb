// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__MISTAKES_HPP_
#define SIMULATOR__MISTAKES_HPP_

#include <string_view>
#include <vector>

namespace pqc_tunnel::test
{

// Every mistake that can be planted in this build; none in one without -DPQC_TUNNEL_PLANTED_MISTAKES.
std::vector<std::string_view> mistakes();

// Makes the protocol's code wrong in that way from now on; an empty name: in no way. False if there is no such mistake.
bool plant(std::string_view name);

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__MISTAKES_HPP_
