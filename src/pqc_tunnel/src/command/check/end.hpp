// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND__CHECK__END_HPP_
#define PQC_TUNNEL__COMMAND__CHECK__END_HPP_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "findings.hpp"

namespace pqc_tunnel::cli
{

// The parameters of one end, as far as they could be read.
struct End
{
  ParameterValues values;  // complete
  EngineConfig config;
  std::vector<PlaintextConfig>
    plaintexts;  // drone: one; ground station: of its drones, as far as they can be read
};

// Returns the parameter file of a tunnel, or the given path.
Result<std::filesystem::path> find_file(const std::string & tunnel_or_path);
// Returns nothing if the parameters are not those of a drone or a ground station.
std::optional<End> read_end(const std::filesystem::path & file, Findings & findings);

// Returns the running tunnel with the role and the ports of this configuration; empty: there is none.
std::string running_tunnel(const End & end);

// The keys of this end: whether they can be used by this process, and for the suites and drones of the parameters.
void check_identity(const EngineConfig & config, Findings & findings);

// Whether serial devices are opened, which sets their lines.
enum class Devices : std::uint8_t
{
  open,
  leave,
};
// Checks that the ports are free, unless this tunnel runs (empty: it does not), and that host names resolve. May wait
// for a name server.
void check_sockets(
  const End & end, const std::string & running, Devices devices, Findings & findings);

// Checks who else can reach the readable side, and that its addresses are known. May wait for a name server.
void check_plaintext(const End & end, Findings & findings);

// Says of the profile cnsa2 which components are in a FIPS module, and which are not.
void check_profile(const EngineConfig & config, Findings & findings);

// Checks that both ends agree where they must.
void compare_ends(const End & one, const End & other, Findings & findings);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND__CHECK__END_HPP_
