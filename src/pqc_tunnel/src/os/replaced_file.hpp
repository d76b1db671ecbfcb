// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__REPLACED_FILE_HPP_
#define PQC_TUNNEL__OS__REPLACED_FILE_HPP_

#include <filesystem>
#include <string>
#include <string_view>

#include "pqc_tunnel/base/result.hpp"

namespace pqc_tunnel
{

// A file that readers always find whole. Each version is written beside it, under the name with
// ".new" at its end, and renamed over it once the system has taken all of it.
class ReplacedFile
{
public:
  // Refuses a path where nothing can be written, or that holds something else than a file. A disk
  // that is full now is no reason.
  static Result<ReplacedFile> open(const std::filesystem::path & path);

  // Keeps the permissions of the version before. If it fails, that version stays.
  Result<void> replace(std::string_view text) const;

private:
  explicit ReplacedFile(std::filesystem::path path);

  std::filesystem::path path_;
  std::filesystem::path next_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__REPLACED_FILE_HPP_
