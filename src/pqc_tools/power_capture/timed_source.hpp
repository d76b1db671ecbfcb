// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__POWER_CAPTURE__TIMED_SOURCE_HPP_
#define PQC_TOOLS__POWER_CAPTURE__TIMED_SOURCE_HPP_

#include "pqc_tunnel/os/file_descriptor.hpp"
#include "source.hpp"

namespace pqc_tunnel::power
{

/// A source that is read at each tick of a timer of the kernel, which counts the ticks that were too late to read.
class TimedSource : public Source
{
public:
  explicit TimedSource(std::uint64_t rate_hz);

  Duration interval() const override { return interval_; }
  int ready() const override { return timer_.get(); }
  bool take(SampleCounter & counter, const Sink & sink) override;

protected:
  virtual Read read(Instant now) = 0;

private:
  Duration interval_;
  FileDescriptor timer_;
};

}  // namespace pqc_tunnel::power

#endif  // PQC_TOOLS__POWER_CAPTURE__TIMED_SOURCE_HPP_
