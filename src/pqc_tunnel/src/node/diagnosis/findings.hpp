// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__DIAGNOSIS__FINDINGS_HPP_
#define PQC_TUNNEL__NODE__DIAGNOSIS__FINDINGS_HPP_

#include <chrono>
#include <cstdio>
#include <string>

#include "base/time.hpp"
#include "diagnosis.hpp"

namespace pqc_tunnel
{

inline std::string decimal(double value, int digits)
{
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, value);
  return text;
}

// Collects sentences and keeps those of the highest level.
class Findings
{
public:
  void add(Diagnosis::Level level, const std::string & sentence)
  {
    if (level < level_) {
      return;
    }
    if (level > level_) {
      level_ = level;
      text_.clear();
    }
    text_ += (text_.empty() ? "" : " ") + sentence;
  }

  Diagnosis::Level level() const { return level_; }
  const std::string & text() const { return text_; }

private:
  Diagnosis::Level level_ = Diagnosis::Level::ok;
  std::string text_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__DIAGNOSIS__FINDINGS_HPP_
