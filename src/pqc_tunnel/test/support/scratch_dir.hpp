// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__SCRATCH_DIR_HPP_
#define SUPPORT__SCRATCH_DIR_HPP_

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace pqc_tunnel
{

// A temporary folder (0700), removed by the destructor.
class ScratchDir
{
public:
  ScratchDir()
  {
    std::string pattern = (std::filesystem::temp_directory_path() / "pqc_tunnel_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), pattern);
    }
    path_ = pattern;
  }
  ~ScratchDir()
  {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDir(const ScratchDir &) = delete;
  ScratchDir & operator=(const ScratchDir &) = delete;

  std::filesystem::path operator/(const std::string & name) const { return path_ / name; }
  const std::filesystem::path & path() const { return path_; }

  std::filesystem::path write(const std::string & name, const std::string & text) const
  {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

private:
  std::filesystem::path path_;
};

}  // namespace pqc_tunnel

#endif  // SUPPORT__SCRATCH_DIR_HPP_
