// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "identity/identity_files.hpp"

#include <signal.h>

#include <algorithm>
#include <functional>
#include <iostream>

#include "base/nearest_name.hpp"
#include "command_line/words.hpp"
#include "crypto/random.hpp"
#include "crypto/suites/algorithms.hpp"
#include "given.hpp"
#include "identity/anchor_files.hpp"
#include "identity/drone_folder.hpp"
#include "identity/match_identities.hpp"
#include "identity/renew_identity.hpp"
#include "os/clock.hpp"
#include "os/process.hpp"

namespace pqc_tunnel::cli
{
namespace
{

Result<std::vector<SignatureAlgorithm>> parse_signatures(const std::string & text)
{
  std::vector<SignatureAlgorithm> chosen;
  if (text == "none") {
    return chosen;
  }
  std::vector<std::string> known;
  for (const SignatureAlgorithm algorithm : all_signatures()) {
    known.emplace_back(token(algorithm));
    if (text == "all" && availability(algorithm).available) {
      chosen.push_back(algorithm);
    }
  }
  for (const std::string & name : text == "all" ? std::vector<std::string>() : split(text, ',')) {
    const auto found = std::ranges::find(known, name);
    if (found == known.end()) {
      return fail(
        ErrorCode::invalid_argument, "\"" + name + "\" is no signature algorithm; did you mean " +
                                       nearest_name(name, known) + "?");
    }
    const SignatureAlgorithm algorithm =
      all_signatures()[static_cast<std::size_t>(found - known.begin())];
    if (const auto & available = availability(algorithm); !available.available) {
      return fail(
        ErrorCode::unavailable,
        std::string(display_name(algorithm)) + " is unavailable here: " + available.reason);
    }
    chosen.push_back(algorithm);
  }
  return chosen;
}

volatile sig_atomic_t interrupted = 0;

struct Interrupted
{
};

// Shows the progress. After a stop signal it unwinds the stack, so that half-made keys are removed.
void show_progress(const std::string & step)
{
  if (interrupted != 0) {
    throw Interrupted();
  }
  if (!step.empty()) {
    std::cout << step << std::endl;
  }
}

Result<AnchorPlan> read_anchor_plan(const Given & given)
{
  AnchorPlan plan;
  plan.rotate = given.rotate;
  plan.one_time = given.one_time;
  if (given.anchor == "1" || given.anchor == "3" || given.anchor == "5") {
    plan.kem = anchor_kem(static_cast<SecurityLevel>(given.anchor.front() - '0'));
  } else if (given.anchor != "none") {
    return fail(
      ErrorCode::invalid_argument,
      "The anchor's level is \"" + given.anchor + "\", but must be 1, 3 or 5, or none.");
  }
  return plan;
}

Result<IdentityPlan> read_plan(const Given & given)
{
  auto signatures = parse_signatures(given.signatures);
  auto drone_signatures = parse_signatures(given.drone_signatures);
  for (const auto * parsed : {&signatures, &drone_signatures}) {
    if (!*parsed) {
      return fail(ErrorCode::invalid_argument, parsed->error().message);
    }
  }
  auto anchor = read_anchor_plan(given);
  if (!anchor) {
    return tl::make_unexpected(anchor.error());
  }
  return IdentityPlan{given.drones, std::move(*signatures), std::move(*drone_signatures), *anchor};
}

// Runs what makes keys, until a stop signal.
Result<int> make(const std::function<Result<void>(RandomSource &)> & make_them)
{
  protect_secrets();
  struct sigaction action
  {
  };
  action.sa_handler = [](int) { interrupted = 1; };
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) {
    ::sigaction(number, &action, nullptr);
  }
  ::signal(SIGXFSZ, SIG_IGN);  // the write fails instead
  try {
    SystemRandom random;
    const auto made = make_them(random);
    if (!made) {
      return fail(ErrorCode::unavailable, made.error().message);
    }
    return exit_success;
  } catch (const Interrupted &) {
    return fail(ErrorCode::unavailable, "Interrupted: no key was made.");
  }
}

Result<int> make_by_plan(const Given & given, decltype(make_identities) & make_them)
{
  const auto plan = read_plan(given);
  if (!plan) {
    return tl::make_unexpected(plan.error());
  }
  return make(
    [&](RandomSource & random) { return make_them(given.out, *plan, random, show_progress); });
}

}  // namespace

Result<int> identity_init(const Given & given) { return make_by_plan(given, make_identities); }

Result<int> identity_add_drone(const Given & given) { return make_by_plan(given, add_drones); }

Result<int> identity_anchor(const Given & given)
{
  const auto plan = read_anchor_plan(given);
  if (!plan || !plan->kem) {
    return fail(
      ErrorCode::invalid_argument,
      plan ? "The anchor's level must be 1, 3 or 5." : plan.error().message);
  }
  const auto drones = given.drones.empty() ? recorded_drones(given.out + "/gcs") : given.drones;
  return make([&](RandomSource & random) {
    return extend_anchor(given.out, drones, *plan, random, show_progress);
  });
}

Result<int> identity_rotate(const Given & given)
{
  RotationPlan plan;
  plan.drones = given.drones;
  plan.signing = given.signing;
  plan.again = given.again;
  plan.now_unix_s = unix_seconds();
  plan.former_until_unix_s =
    plan.now_unix_s + static_cast<std::int64_t>(given.overlap_days) * 24 * 3600;
  auto made = make(
    [&](RandomSource & random) { return rotate_keys(given.out, plan, random, show_progress); });
  if (made) {
    std::cout << "Carry changed folders to their machines in any order; run pqc reload there.\n";
  }
  return made;
}

Result<int> identity_revoke(const Given & given)
{
  protect_secrets();
  if (const auto revoked = revoke_drones(given.out + "/gcs", given.drones); !revoked) {
    return fail(ErrorCode::unavailable, revoked.error().message);
  }
  std::cout << "Run pqc reload where the ground station has these keys: it ends the sessions.\n";
  return exit_success;
}

Result<int> identity_expire(const Given & given)
{
  protect_secrets();
  std::optional<std::int64_t> end;
  if (given.date != "never") {
    const auto date = end_of_day(given.date);
    if (!date) {
      return tl::make_unexpected(date.error());
    }
    end = *date;
  }
  if (const auto set = set_expiry(given.out + "/gcs", given.drones, end); !set) {
    return fail(ErrorCode::unavailable, set.error().message);
  }
  return exit_success;
}

Result<int> identity_list(const Given & given)
{
  protect_secrets();
  const auto text = list_drones(given.words.front(), unix_seconds());
  if (!text) {
    return fail(ErrorCode::unavailable, text.error().message);
  }
  std::cout << *text;
  return exit_success;
}

Result<int> identity_inspect(const Given & given)
{
  const auto & paths = given.words;
  protect_secrets();
  if (paths.size() == 1) {
    const auto text = describe_identity(paths[0]);
    if (!text) {
      return fail(ErrorCode::unavailable, text.error().message);
    }
    std::cout << *text;
    return exit_success;
  }
  const auto differences = match_identities(paths[0], paths[1]);
  if (!differences) {
    return fail(ErrorCode::unavailable, differences.error().message);
  }
  for (const std::string & sentence : *differences) {
    std::cout << sentence << "\n";
  }
  if (const std::string left = one_time_keys_left(paths[0], paths[1]); !left.empty()) {
    std::cout << left << "\n";
  }
  std::cout
    << (differences->empty() ? "These two match: ids, pre-shared key, signing keys and anchor.\n"
                             : "These two do not match.\n");
  return differences->empty() ? exit_success : exit_cannot_run;
}

}  // namespace pqc_tunnel::cli
