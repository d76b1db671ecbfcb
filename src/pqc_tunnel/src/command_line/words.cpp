// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "words.hpp"

#include <algorithm>

namespace pqc_tunnel::cli
{

std::vector<std::string> split(const std::string & text, char separator)
{
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const auto end = std::min(text.find(separator, begin), text.size());
    if (end > begin) {
      parts.push_back(text.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  return parts;
}

std::string join(const std::vector<std::string> & texts)
{
  std::string joined;
  for (const std::string & text : texts) {
    joined += (joined.empty() ? "" : ", ") + text;
  }
  return joined;
}

}  // namespace pqc_tunnel::cli
