// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "nearest_name.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace pqc_tunnel
{

namespace
{

// Computes the Levenshtein distance row by row.
std::size_t edit_distance(std::string_view a, std::string_view b)
{
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string> & known)
{
  std::string nearest;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const auto & candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < fewest) {
      fewest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string suggestion(std::string_view name, const std::vector<std::string> & known)
{
  const std::string nearest = known.empty() ? "" : nearest_name(name, known);
  const std::size_t letters = name.size() - std::min(name.find_first_not_of('-'), name.size());
  const bool close = !nearest.empty() && 2 * edit_distance(name, nearest) <= letters + 1;
  return close ? "; did you mean " + nearest + "?" : ".";
}

}  // namespace pqc_tunnel
