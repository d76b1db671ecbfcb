// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__POWER_CAPTURE__TRACE_FILE_HPP_
#define PQC_TOOLS__POWER_CAPTURE__TRACE_FILE_HPP_

#include <zlib.h>

#include <memory>
#include <string>
#include <string_view>

#include "pqc_tunnel/base/result.hpp"
#include "sample_counter.hpp"

namespace pqc_tunnel::power
{

/// A trace: CSV in gzip with seconds, power in W and missing samples. Facts are comments, "# name: value", before the
/// rows and, of what is known at the end only, after them: a file without an "ended" was cut short.
class TraceFile
{
public:
  /// Creates a file; "-" is the standard output.
  static Result<TraceFile> create(const std::string & file);

  void fact(std::string_view name, std::string_view value);
  void fact(std::string_view name, double value);
  /// Ends the facts before the rows. Times count from here.
  void begin(Instant start);
  void add(const Sample & sample);
  /// Makes what was written so far readable even if this program is killed.
  bool flush();
  /// Closes the file; false if it could not be written, as on a full disk.
  bool close();

private:
  explicit TraceFile(gzFile file) : file_(file) {}
  void write(std::string_view text);

  struct Close
  {
    void operator()(gzFile_s * file) const { ::gzclose(file); }
  };
  std::unique_ptr<gzFile_s, Close> file_;
  Instant start_;
  bool failed_ = false;
};

}  // namespace pqc_tunnel::power

#endif  // PQC_TOOLS__POWER_CAPTURE__TRACE_FILE_HPP_
