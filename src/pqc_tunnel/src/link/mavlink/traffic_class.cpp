// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "traffic_class.hpp"

namespace pqc_tunnel
{

const char * to_string(TrafficClass traffic)
{
  switch (traffic) {
    case TrafficClass::control:
      return "control";
    case TrafficClass::command:
      return "command";
    case TrafficClass::ordered:
      return "ordered";
    case TrafficClass::stream:
      return "stream";
    case TrafficClass::background:
      return "background";
    case TrafficClass::telemetry:
      return "telemetry";
    case TrafficClass::other:
      return "other";
    case TrafficClass::unproved:
      return "unproved";
  }
  return "";
}

}  // namespace pqc_tunnel
