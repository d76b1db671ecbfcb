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

// An open file of keys or parameters, which decide who can listen and where plaintext goes.
struct NamedFile
{
  FileDescriptor descriptor;
  struct stat status;
};

// Opens a regular file of at most 2 MiB that belongs to root or to the user of this process, without ever blocking.
// Errors are sentences about `subject`.
Result<NamedFile> open_named_file(const std::filesystem::path & path, const std::string & subject);

// Reads the file into `into`, which must have the size from `status`.
Result<void> read_named_file(
  const NamedFile & file, const std::string & subject, MutableBytes into);

// Opens and reads a text file that nobody else may write.
Result<std::string> read_named_text(
  const std::filesystem::path & path, const std::string & subject);

// Returns an error if the file belongs neither to root nor to the user of this process.
Result<void> check_owner(const std::string & subject, const struct stat & status);

// Formats a mode like "0644".
std::string mode_text(mode_t mode);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__NAMED_FILE_HPP_
