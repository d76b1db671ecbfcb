// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__STREAM_CONNECTION_HPP_
#define PQC_TUNNEL__NET__STREAM_CONNECTION_HPP_

#include <deque>
#include <string>

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/os/file_descriptor.hpp"

namespace pqc_tunnel
{

// One open TCP connection, non-blocking, with a bounded queue of what the other end hasn't taken
// yet.
class StreamConnection
{
public:
  explicit StreamConnection(FileDescriptor fd) : fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }
  bool has_queued() const { return queued_ > 0; }
  bool has_sent() const { return has_sent_; }

  // Sends a piece at once if the socket takes it, and queues the rest. False if too much is queued already.
  bool send(Bytes bytes);
  // Goes on with the queue, by a piece.
  void flush();
  // What has come, into `buffer`; empty without `failure` if nothing has. A closed connection has a
  // `failure`.
  ByteView receive(MutableBytes buffer, std::string & failure);
  // Tells the other end that nothing more will come.
  void finish_sending();
  // Makes closing immediate: nothing is kept waiting in the system.
  void abandon();

private:
  FileDescriptor fd_;
  std::deque<Bytes> queue_;
  std::size_t offset_ = 0;  // into the first of the queue
  std::size_t queued_ = 0;
  bool has_sent_ = false;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__STREAM_CONNECTION_HPP_
