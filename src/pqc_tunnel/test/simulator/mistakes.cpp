// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/mistakes.hpp"

#include "simulator/planted_mistakes.hpp"

namespace pqc_tunnel::test
{

#ifdef PQC_TUNNEL_PLANTED_MISTAKES

std::vector<std::string_view> mistakes()
{
  std::vector<std::string_view> names;
  for (const auto & [mistake, name] : mistake_names) {
    names.push_back(name);
  }
  return names;
}

bool plant(std::string_view name)
{
  planted_mistake.reset();
  for (const auto & [mistake, mistake_name] : mistake_names) {
    if (mistake_name == name) {
      planted_mistake = mistake;
    }
  }
  return planted_mistake.has_value() || name.empty();
}

#else

std::vector<std::string_view> mistakes() { return {}; }

bool plant(std::string_view name) { return name.empty(); }

#endif

}  // namespace pqc_tunnel::test
