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

/// One open, non-blocking TCP connection with a bounded queue of bytes to send. One thread at a time.
class StreamConnection
{
public:
  explicit StreamConnection(FileDescriptor fd) : fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }
  /// True while bytes wait in the queue: poll for EPOLLOUT and call flush().
  bool has_queued() const { return queued_ > 0; }
  /// True once any byte was sent.
  bool has_sent() const { return has_sent_; }

  /// Sends as much as the socket accepts and queues the rest. Returns false if the queue is full.
  bool send(Bytes bytes);
  /// Sends one more piece of the queue.
  void flush();
  /// Receives into `buffer`. Empty if nothing has arrived; on a closed or broken connection `failure` is the
  /// reason.
  ByteView receive(MutableBytes buffer, std::string & failure);
  /// Closes the sending direction.
  void finish_sending();
  /// Closes with a reset: the system keeps no bytes and no state of the connection.
  void abandon();

private:
  FileDescriptor fd_;
  std::deque<Bytes> queue_;
  std::size_t offset_ = 0;  ///< into the first of the queue
  std::size_t queued_ = 0;
  bool has_sent_ = false;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__STREAM_CONNECTION_HPP_
