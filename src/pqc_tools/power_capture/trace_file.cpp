// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "trace_file.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <system_error>

namespace pqc_tunnel::power
{
namespace
{

// Little work for the computer whose power is measured.
constexpr const char * fast = "wb1";

}  // namespace

Result<TraceFile> TraceFile::create(const std::string & file)
{
  gzFile opened =
    file == "-" ? ::gzdopen(::dup(STDOUT_FILENO), fast) : ::gzopen(file.c_str(), fast);
  if (opened == nullptr) {
    return fail(
      ErrorCode::unavailable,
      file + " can't be written: " + std::generic_category().message(errno) + ".");
  }
  return TraceFile(opened);
}

void TraceFile::write(std::string_view text)
{
  failed_ |= ::gzwrite(file_.get(), text.data(), static_cast<unsigned>(text.size())) == 0;
}

void TraceFile::fact(std::string_view name, std::string_view value)
{
  write("# " + std::string(name) + ": " + std::string(value) + "\n");
}

void TraceFile::fact(std::string_view name, double value)
{
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.15g", value);
  fact(name, text.data());
}

void TraceFile::begin(Instant start)
{
  start_ = start;
  write("seconds,power_w,missed\n");
}

void TraceFile::add(const Sample & sample)
{
  std::array<char, 80> row{};
  const double seconds = in_seconds(sample.at - start_);
  const int length = std::snprintf(
    row.data(), row.size(), "%.6f,%.6f,%" PRIu64 "\n", seconds, sample.power_w, sample.missed);
  write({row.data(), static_cast<std::size_t>(length)});
}

bool TraceFile::flush()
{
  failed_ |= ::gzflush(file_.get(), Z_SYNC_FLUSH) != Z_OK;
  return !failed_;
}

bool TraceFile::close() { return ::gzclose(file_.release()) == Z_OK && !failed_; }

}  // namespace pqc_tunnel::power
