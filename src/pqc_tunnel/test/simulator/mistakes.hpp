// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__MISTAKES_HPP_
#define SIMULATOR__MISTAKES_HPP_

#include <string_view>
#include <vector>

namespace pqc_tunnel::test
{

// Every mistake that can be planted; none in a program built without -DPQC_TUNNEL_PLANTED_MISTAKES.
std::vector<std::string_view> mistakes();

// Activates a mistake, or none for an empty name. Returns false if no mistake has this name.
bool plant(std::string_view name);

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__MISTAKES_HPP_
