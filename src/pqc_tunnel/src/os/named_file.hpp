// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__NAMED_FILE_HPP_
#define PQC_TUNNEL__OS__NAMED_FILE_HPP_

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "file_descriptor.hpp"

namespace pqc_tunnel
{

// An open file of keys or parameters: it decides who can listen, and where plaintext goes.
struct NamedFile
{
  FileDescriptor descriptor;
  struct stat status;
};

// Opens a regular file of at most two mebibytes that belongs to root or to the user who runs this, and never waits for it.
// Errors are sentences about `subject`.
Result<NamedFile> open_named_file(const std::filesystem::path & path, const std::string & subject);

// Fills `into`, which has the size that the file had.
Result<void> read_named_file(
  const NamedFile & file, const std::string & subject, MutableBytes into);

// Both in one step, for a text that nobody else may write.
Result<std::string> read_named_text(
  const std::filesystem::path & path, const std::string & subject);

// Refuses what belongs to another user than root and the one who runs this.
Result<void> check_owner(const std::string & subject, const struct stat & status);

// "0644"
std::string mode_text(mode_t mode);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__NAMED_FILE_HPP_
