// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__DIAGNOSIS__GRAPH_WATCH_HPP_
#define PQC_TUNNEL__NODE__DIAGNOSIS__GRAPH_WATCH_HPP_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "diagnosis.hpp"

namespace pqc_tunnel
{

// Watches the ROS graph for faults outside the tunnel: a second tunnel under the same names, a second server of its
// services, and use_sim_time without a /clock. Not thread-safe.
class GraphWatch
{
public:
  // The names must be fully qualified.
  GraphWatch(std::string self, std::string status_topic, std::string rekey_service, Instant start)
  : self_(std::move(self)),
    status_topic_(std::move(status_topic)),
    rekey_service_(std::move(rekey_service)),
    single_server_(start),
    clock_gone_since_(start)
  {
  }

  // Notes an own status. `stamp_ns` identifies it.
  void note_own_status(std::int64_t stamp_ns);
  // Handles a status on our topic, from any publisher; our own come back too.
  void handle_status(std::int64_t stamp_ns, Instant now);
  // Call it once a second. `publishers`: full names of all nodes that publish our status topic; `servers`: how many
  // serve our rekey service.
  void handle_second(
    std::vector<std::string> publishers, std::size_t servers, bool simulated_time,
    std::int64_t ros_ns, Instant now);

  // Returns a fault that has begun, as a sentence to log.
  std::optional<std::string> take_warning();
  bool clock_is_missing() const { return clock_missing_; }
  Diagnosis diagnose() const;

private:
  std::string second_tunnel() const;
  std::string second_server() const;
  void warn_if_new(bool & known, bool present, const std::string & sentence);

  std::string self_;
  std::string status_topic_;
  std::string rekey_service_;
  std::deque<std::int64_t> own_;  // stamps of our newest statuses
  std::optional<Instant> last_foreign_;
  std::vector<std::string> publishers_;
  Instant single_server_;  // when nobody else last served rekey
  bool second_tunnel_ = false;
  bool second_server_ = false;
  bool clock_missing_ = false;
  Instant clock_gone_since_;
  std::deque<std::string> warnings_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__DIAGNOSIS__GRAPH_WATCH_HPP_
