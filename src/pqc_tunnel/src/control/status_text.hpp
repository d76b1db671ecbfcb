// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CONTROL__STATUS_TEXT_HPP_
#define PQC_TUNNEL__CONTROL__STATUS_TEXT_HPP_

#include <cstdint>
#include <optional>
#include <string>

#include "engine/loop/engine.hpp"

namespace pqc_tunnel::cli
{

// The state of an engine as one line of JSON; times in seconds, sizes in bytes.
std::string status_json(const Engine & engine);

// Every suite as one line of JSON: level, tier, whether it is available and allowed here, and for
// how long it is blacklisted.
std::string suites_json(const Engine & engine);
// The same of this machine without a tunnel: nothing about "allowed" or the blacklist.
std::string suites_json();

std::string reply_json(const RekeyReply & reply);

// None: no answer has come in time.
std::string echo_json(std::uint32_t number, const std::optional<EchoReply> & reply);

// One line for the log: wall-clock time, level, peer, what happened.
std::string event_line(const Event & event, const Engine & engine);

// A line for the log from the program itself.
std::string log_line(const std::string & level, const std::string & text);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__CONTROL__STATUS_TEXT_HPP_
