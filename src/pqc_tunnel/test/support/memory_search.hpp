// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__MEMORY_SEARCH_HPP_
#define SUPPORT__MEMORY_SEARCH_HPP_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace pqc_tunnel::test
{

// A piece of a secret, stored so that the search does not find its own copy.
class Needle
{
public:
  explicit Needle(ByteView secret)
  {
    EXPECT_GE(secret.size(), size);
    std::ranges::transform(secret.first(size), masked_.begin(), [](auto b) { return b ^ mask; });
  }
  bool is_at(const std::uint8_t * place) const
  {
    for (std::size_t i = 0; i < size; ++i) {
      if ((place[i] ^ mask) != masked_[i]) {
        return false;
      }
    }
    return true;
  }
  static constexpr std::size_t size = 16;

private:
  static constexpr std::uint8_t mask = 0x5a;
  std::array<std::uint8_t, size> masked_ = {};
};

// A piece of this process's writable memory, by addresses.
struct MemoryRegion
{
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

inline std::vector<MemoryRegion> writable_memory()
{
  std::vector<MemoryRegion> regions;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    MemoryRegion region;
    char dash = 0;
    std::string rights;
    std::istringstream(line) >> std::hex >> region.begin >> dash >> region.end >> rights;
    if (rights.substr(0, 2) == "rw") {
      regions.push_back(region);
    }
  }
  return regions;
}

// How often that stands in this process's writable memory. A copy of each region is searched, which
// is wiped before the next.
inline std::size_t count_in_memory(const Needle & needle)
{
  constexpr std::size_t piece = std::size_t{1} << 20;
  static Bytes buffer(piece + Needle::size);
  const int memory = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  std::size_t found = 0;
  for (const auto & [begin, end] : writable_memory()) {
    for (std::uint64_t at = begin; at < end; at += piece) {
      const auto own = reinterpret_cast<std::uint64_t>(buffer.data());
      if (at < own + buffer.size() && own < at + buffer.size()) {
        continue;
      }
      const auto read = ::pread(memory, buffer.data(), buffer.size(), static_cast<off_t>(at));
      for (ssize_t i = 0; i + static_cast<ssize_t>(Needle::size) <= read; ++i) {
        found += i < static_cast<ssize_t>(piece) && needle.is_at(buffer.data() + i);
      }
      std::ranges::fill(buffer, std::uint8_t{0});
    }
  }
  ::close(memory);
  return found;
}

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__MEMORY_SEARCH_HPP_
