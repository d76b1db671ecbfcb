// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__KNOWN_ANSWERS__SERVED_HPP_
#define SUPPORT__KNOWN_ANSWERS__SERVED_HPP_

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "crypto/suites/algorithm_table.hpp"

namespace pqc_tunnel::test
{

// An algorithm in a library that may have it.
template <class Algorithm>
struct Served
{
  Algorithm algorithm;
  Library library;
};

template <class Algorithm>
std::vector<Served<Algorithm>> served(std::span<const Algorithm> algorithms)
{
  std::vector<Served<Algorithm>> found;
  for (const Algorithm algorithm : algorithms) {
    for (const Library library : {Library::openssl, Library::liboqs}) {
      for (const Implementation & one : spec(algorithm).implementations) {
        if (one.name != nullptr && one.library == library) {
          found.push_back({algorithm, library});
          break;
        }
      }
    }
  }
  return found;
}

template <class Algorithm>
std::string name_of_served(const testing::TestParamInfo<Served<Algorithm>> & info)
{
  return std::string(token(info.param.algorithm)) +
         (info.param.library == Library::openssl ? "_openssl" : "_liboqs");
}

// While it lives, that library serves the algorithm, or there is a reason why not.
class ServedBy
{
public:
  template <class Algorithm>
  explicit ServedBy(const Served<Algorithm> & wanted)
  {
    prefer(wanted.library);
    const Implementation * const serving = implementation(wanted.algorithm);
    if (serving == nullptr) {
      reason_ = availability(wanted.algorithm).reason;
    } else if (serving->library != wanted.library) {
      reason_ = version(wanted.library) + " lacks " + std::string(display_name(wanted.algorithm));
    }
  }
  ~ServedBy() { prefer(std::nullopt); }
  ServedBy(const ServedBy &) = delete;
  ServedBy & operator=(const ServedBy &) = delete;

  const std::string & reason() const { return reason_; }

private:
  std::string reason_;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__KNOWN_ANSWERS__SERVED_HPP_
