// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <iostream>

#include "command_line/json_writer.hpp"
#include "given.hpp"
#include "show_text.hpp"
#include "tunnels.hpp"

namespace pqc_tunnel::cli
{

namespace
{

Result<std::vector<std::string>> tunnels_to_show(const Given & given)
{
  if (given.words.empty()) {
    return running_tunnels();
  }
  const auto chosen = choose_tunnel(given.tunnel());
  if (!chosen) {
    return tl::make_unexpected(chosen.error());
  }
  return std::vector<std::string>{*chosen};
}

std::string named_json(const std::string & tunnel, const Result<Answer> & answer)
{
  if (!answer) {
    return JsonWriter::object()
      .text("name", tunnel)
      .flag("running", false)
      .text("problem", answer.error().message)
      .str();
  }
  return "{\"name\": " + json_string(tunnel) + ", " + answer->text.substr(1);
}

}  // namespace

Result<int> show(const Given & given)
{
  const auto tunnels = tunnels_to_show(given);
  if (!tunnels) {
    return tl::make_unexpected(tunnels.error());
  }
  auto json = JsonWriter::array();
  std::string text;
  bool all_up = !tunnels->empty();
  for (const std::string & tunnel : *tunnels) {
    const auto answer = request(tunnel, "status");
    all_up = all_up && answer && is_up(answer->json);
    json.element(named_json(tunnel, answer));
    text += text.empty() ? "" : "\n";
    text += answer ? show_text(tunnel, answer->json)
                   : "tunnel: " + tunnel + "\n  problem: it was killed, or does not answer\n";
  }
  if (given.json) {
    std::cout << json.str() << "\n";
  } else {
    std::cout << (tunnels->empty() ? no_tunnel_is_up() + "\n" : text);
  }
  return all_up ? exit_success : exit_cannot_run;
}

}  // namespace pqc_tunnel::cli
