// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__POWER_CAPTURE__CAPTURE_HPP_
#define PQC_TOOLS__POWER_CAPTURE__CAPTURE_HPP_

#include <string>

#include "pqc_tunnel/os/file_descriptor.hpp"
#include "source.hpp"
#include "trace_file.hpp"

namespace pqc_tunnel::power
{

struct CaptureOptions
{
  Duration length{};              // zero: until it is stopped
  bool until_input_ends = false;  // of standard input
  bool real_time = false;         // as it is, for the trace's facts
};

/// Records a source into a trace until it is stopped. Returns what it counted, or an error if the file could not be
/// written; a sensor that goes away ends it without an error.
Result<Counts> capture(
  Source & source, TraceFile trace, const CaptureOptions & options, const FileDescriptor & signals);

}  // namespace pqc_tunnel::power

#endif  // PQC_TOOLS__POWER_CAPTURE__CAPTURE_HPP_
