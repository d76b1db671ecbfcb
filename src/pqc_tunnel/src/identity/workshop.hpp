// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__IDENTITY__WORKSHOP_HPP_
#define PQC_TUNNEL__IDENTITY__WORKSHOP_HPP_

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace pqc_tunnel
{

tl::unexpected<Error> refuse_to_overwrite(const std::filesystem::path & path);

// A temporary folder for a set of folders until it is complete; the destructor deletes the rest.
class Workshop
{
public:
  static Result<Workshop> open(const std::filesystem::path & out);
  Workshop(Workshop && other) noexcept;
  Workshop & operator=(Workshop &&) = delete;
  ~Workshop();

  std::filesystem::path operator/(const std::string & name) const { return inside_ / name; }

private:
  Workshop() = default;

  std::filesystem::path inside_;
  // The folders around it that were made, too, from the inside.
  std::vector<std::filesystem::path> new_around_;
};

// Moves finished files and folders to their places, all or none: the destructor deletes them there, unless they are kept.
class Moves
{
public:
  Moves() = default;
  ~Moves();
  Moves(const Moves &) = delete;
  Moves & operator=(const Moves &) = delete;

  // The place must be free.
  Result<void> move(const std::filesystem::path & from, const std::filesystem::path & to);
  void keep() { done_.clear(); }

private:
  std::vector<std::filesystem::path> done_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__IDENTITY__WORKSHOP_HPP_
