// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__REPLACED_FILE_HPP_
#define PQC_TUNNEL__OS__REPLACED_FILE_HPP_

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace pqc_tunnel
{

// A file whose readers always see a complete version. Each version is written beside it, with ".new" appended to the
// name, and renamed over it when it is complete. Nobody else can redirect it: links in the path to its folder must
// belong to root or to the user of this process, and a link in the file's own place is never followed.
class ReplacedFile
{
public:
  // Returns an error if the folder is not writable, or if the path exists and is no file. A full disk is no error here.
  static Result<ReplacedFile> open(const std::filesystem::path & path);

  // Replaces the file and keeps its permissions, if it is this user's. On an error the old version stays.
  Result<void> replace(std::string_view text) const;

private:
  explicit ReplacedFile(std::filesystem::path path);

  std::filesystem::path path_;
  std::string name_;
  std::string next_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__REPLACED_FILE_HPP_
