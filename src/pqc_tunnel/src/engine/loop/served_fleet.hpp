// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__LOOP__SERVED_FLEET_HPP_
#define PQC_TUNNEL__ENGINE__LOOP__SERVED_FLEET_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "crypto/hkdf.hpp"
#include "identity/drone_folder.hpp"
#include "mailbox.hpp"
#include "packet_loop.hpp"

namespace pqc_tunnel
{

// How the folder of drones differs from those that are served.
struct FleetChange
{
  std::vector<PeerChange> leaving;
  std::vector<RegisteredDrone>
    coming;  // new ones, and those with other keys or another plaintext side
  std::vector<std::string> added;
  std::vector<std::string> removed;
  std::vector<std::string> changed;
  std::vector<std::string> problems;  // in sentences

  // For a person.
  std::string text() const;
};

// The drones that a ground station serves, and has served: the place of each is its PeerIndex for ever.
class ServedFleet
{
public:
  // Returns the records by PeerIndex.
  std::vector<DroneRecord> begin(std::vector<RegisteredDrone> drones);
  // By PeerIndex, of those at the start.
  std::vector<PlaintextConfig> plaintexts() const;
  std::vector<Expiries> expiries() const;

  FleetChange compare(DroneFolder folder);
  // Returns the changes of what comes. open(peer, config) binds a plaintext side; a drone without it is a problem.
  std::vector<PeerChange> open(
    FleetChange & change,
    const std::function<Result<PlaintextSide>(std::size_t, const PlaintextConfig &)> & open);

private:
  struct Member
  {
    std::string name;
    bool served = false;
    PlaintextConfig plaintext;
    std::array<std::uint8_t, sha256_size> keys = {};  // to recognize other ones
    Expiries expiries;
  };

  std::vector<Member> members_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__LOOP__SERVED_FLEET_HPP_
