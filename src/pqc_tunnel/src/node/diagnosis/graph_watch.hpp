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

// Watches the ROS graph for what a tunnel can't see in itself: a second tunnel under the same names, a second server of
// its services, and use_sim_time without a /clock. Not thread-safe.
class GraphWatch
{
public:
  // The names are full.
  GraphWatch(std::string self, std::string status_topic, std::string rekey_service, Instant start)
  : self_(std::move(self)),
    status_topic_(std::move(status_topic)),
    rekey_service_(std::move(rekey_service)),
    single_server_(start),
    clock_gone_since_(start)
  {
  }

  // `stamp_ns`: identifies a status.
  void note_own_status(std::int64_t stamp_ns);
  // A status on our topic, from whoever it is; ours come back, too.
  void handle_status(std::int64_t stamp_ns, Instant now);
  // Once a second. `publishers`: full names of the nodes that publish our status topic, this one included; `servers`: how
  // many serve our rekey.
  void handle_second(
    std::vector<std::string> publishers, std::size_t servers, bool simulated_time,
    std::int64_t ros_ns, Instant now);

  // A new fault, as a sentence to log; once each time that it begins.
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
  Instant single_server_;  // the last time that nobody else served rekey
  bool second_tunnel_ = false;
  bool second_server_ = false;
  bool clock_missing_ = false;
  Instant clock_gone_since_;
  std::deque<std::string> warnings_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__DIAGNOSIS__GRAPH_WATCH_HPP_
