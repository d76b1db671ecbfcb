// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND_LINE__SHOWN_STREAMS_HPP_
#define PQC_TUNNEL__COMMAND_LINE__SHOWN_STREAMS_HPP_

#include <iostream>
#include <sstream>
#include <string>

#include "base/shown_text.hpp"

namespace pqc_tunnel::cli
{

/// While it lives, nothing reaches a terminal through the stream that shown_lines() would not let pass.
class ShownStream : private std::stringbuf
{
public:
  explicit ShownStream(std::ostream & stream) : stream_(stream), to_(stream.rdbuf(this)) {}
  ~ShownStream() override
  {
    ShownStream::sync();
    stream_.rdbuf(to_);
  }
  ShownStream(const ShownStream &) = delete;
  ShownStream & operator=(const ShownStream &) = delete;

private:
  int sync() override
  {
    const std::string text = shown_lines(str());
    str("");
    const auto size = static_cast<std::streamsize>(text.size());
    return to_->sputn(text.data(), size) == size ? to_->pubsync() : -1;
  }

  std::ostream & stream_;
  std::streambuf * to_;
};

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND_LINE__SHOWN_STREAMS_HPP_
