// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND__CHECK__FINDINGS_HPP_
#define PQC_TUNNEL__COMMAND__CHECK__FINDINGS_HPP_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pqc_tunnel::cli
{

enum class Weight : std::uint8_t
{
  note,     // good to know
  warning,  // it works, but not as well or as safely as it could
  problem,  // it does not work
};

inline const char * to_string(Weight weight)
{
  switch (weight) {
    case Weight::note:
      return "note";
    case Weight::warning:
      return "warning";
    case Weight::problem:
      break;
  }
  return "problem";
}

struct Finding
{
  Weight weight;
  std::string sentence;
  std::string mend;  // a command or a line of the parameter file; empty: the sentence says it
};

// The result of a check.
class Findings
{
public:
  void add(Weight weight, std::string sentence, std::string mend = {})
  {
    all_.push_back({weight, std::move(sentence), std::move(mend)});
  }
  void add_problem(std::string sentence, std::string mend = {})
  {
    add(Weight::problem, std::move(sentence), std::move(mend));
  }
  void add_warning(std::string sentence, std::string mend = {})
  {
    add(Weight::warning, std::move(sentence), std::move(mend));
  }
  void add_note(std::string sentence, std::string mend = {})
  {
    add(Weight::note, std::move(sentence), std::move(mend));
  }

  const std::vector<Finding> & all() const { return all_; }
  bool has(Weight weight) const
  {
    return std::ranges::any_of(
      all_, [weight](const Finding & one) { return one.weight == weight; });
  }
  // No problem and no warning.
  bool is_good() const { return !has(Weight::problem) && !has(Weight::warning); }

private:
  std::vector<Finding> all_;
};

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND__CHECK__FINDINGS_HPP_
