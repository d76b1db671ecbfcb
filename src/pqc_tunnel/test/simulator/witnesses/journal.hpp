// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__WITNESSES__JOURNAL_HPP_
#define SIMULATOR__WITNESSES__JOURNAL_HPP_

#include <deque>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{

inline const char * name_of(Side side) { return side == Side::drone ? "drone" : "gcs"; }

// The newest events, for the analysis of a failure.
class Journal
{
public:
  void note(Instant when, std::string text)
  {
    lines_.push_back({when, std::move(text)});
    if (lines_.size() > kept) {
      lines_.pop_front();
    }
  }
  std::vector<std::string> lines() const
  {
    std::vector<std::string> texts;
    for (const auto & [when, text] : lines_) {
      const auto ms = std::chrono::floor<std::chrono::milliseconds>(when.time_since_epoch());
      texts.push_back(std::to_string(ms.count()) + " ms  " + text);
    }
    return texts;
  }

private:
  static constexpr std::size_t kept = 60;
  std::deque<std::pair<Instant, std::string>> lines_;
};

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__WITNESSES__JOURNAL_HPP_
