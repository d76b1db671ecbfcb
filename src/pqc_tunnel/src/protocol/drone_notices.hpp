// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__DRONE_NOTICES_HPP_
#define PQC_TUNNEL__PROTOCOL__DRONE_NOTICES_HPP_

#include <cstdint>
#include <optional>
#include <string>

#include "notice.hpp"
#include "pqc_tunnel/crypto/suite.hpp"

namespace pqc_tunnel
{

// --- What a drone tells its ground station. Values that are not known are absent. ---

// The drone's computer, in 10 bytes.
struct ComputerNotice
{
  std::optional<double> load;           // of all cores, 0 to 1; in steps of 0.5 %
  std::optional<double> memory;         // in use, 0 to 1; in steps of 0.5 %
  std::uint8_t throttled = 0;           // 0: unknown, 1: no, 2: yes
  std::optional<double> frequency_hz;   // in steps of 1 MHz
  std::optional<double> temperature_c;  // in steps of 0.1 °C
  std::optional<double> power_w;        // in steps of 0.01 W

  friend bool operator==(const ComputerNotice &, const ComputerNotice &) = default;
};

// The newest decision of the drone's policy with the inputs that count most.
struct DecisionNotice
{
  enum class Action : std::uint8_t
  {
    unknown = 0,
    hold = 1,
    down = 2,
    down_to_lightest = 3,
    upgrade = 4,
    rekey = 5,
    rollback = 6,
  };
  static constexpr std::uint8_t verdict_clear = 0;
  static constexpr std::uint8_t verdict_suspicious = 1;
  static constexpr std::uint8_t verdict_attack = 2;

  Action action = Action::unknown;
  bool ratchet = false;
  bool advice_only = false;  // the tunnel is not asked for the change
  std::optional<bool> armed;
  std::string rule;      // cut to 14 bytes
  std::string strategy;  // likewise
  const Suite * from = nullptr;
  const Suite * to = nullptr;           // none: no change
  std::optional<double> loss;           // 0 to 1; in steps of 0.5 %
  std::optional<double> rtt_s;          // in steps of 1 ms, up to 65 s
  std::optional<double> gap_p95_s;      // likewise
  std::optional<double> voltage_v;      // in steps of 0.01 V
  std::optional<double> charge;         // 0 to 1; in steps of 0.5 %
  std::optional<double> temperature_c;  // in steps of 0.1 °C
  std::optional<std::uint8_t> verdict;  // of the advisor, as above
  // Codes of decision_names.hpp; a drone of an earlier version tells none.
  std::uint8_t hold = 0;         // why a proposed change is not made now
  std::uint8_t phase = 0;        // of the mission
  std::uint8_t attack = 0;       // class of the attack that the verdict names
  std::uint8_t missing = 0;      // required inputs that are unknown, by bit
  std::uint8_t cue = 0;          // what the operator should do
  const Suite * held = nullptr;  // that the operator holds

  // Whether the tunnel is asked for another suite.
  bool changes_suite() const { return to != nullptr && to != from && !advice_only; }
  friend bool operator==(const DecisionNotice &, const DecisionNotice &) = default;
};

Notice to_notice(const ComputerNotice & content);
Notice to_notice(const DecisionNotice & content);
// Nothing if the content has another length, or values without a meaning. Bytes that follow are those of later versions
// and ignored.
std::optional<ComputerNotice> computer_notice(const Notice & notice);
std::optional<DecisionNotice> decision_notice(const Notice & notice);

// As PolicyDecision names it.
const char * to_string(DecisionNotice::Action action);
// Action::unknown for another name.
DecisionNotice::Action decision_action(const std::string & name);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__DRONE_NOTICES_HPP_
