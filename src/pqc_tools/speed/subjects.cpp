// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <fnmatch.h>

#include <algorithm>

#include "subject.hpp"

namespace pqc_tunnel::speed
{
namespace
{

template <class Algorithms>
void add_fitting(
  std::vector<Subject> & subjects, const Algorithms & algorithms,
  const std::vector<std::string> & patterns)
{
  for (const auto algorithm : algorithms) {
    const std::string name(token(algorithm));
    const auto fits = [&name](const std::string & pattern) {
      return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    };
    if (patterns.empty() || std::ranges::any_of(patterns, fits)) {
      subjects.push_back(make_subject(algorithm));
    }
  }
}

}  // namespace

std::vector<Subject> make_subjects(const std::vector<std::string> & patterns)
{
  std::vector<Subject> subjects;
  add_fitting(subjects, all_kems(), patterns);
  add_fitting(subjects, all_signatures(), patterns);
  add_fitting(subjects, all_aeads(), patterns);
  return subjects;
}

}  // namespace pqc_tunnel::speed
