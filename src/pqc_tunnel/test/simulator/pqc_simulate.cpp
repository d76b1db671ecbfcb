// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// Runs seeded schedules of mishaps through both ends of the protocol and checks its invariants. See usage below.

#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "simulator/campaign.hpp"
#include "simulator/mistakes.hpp"

namespace
{

using namespace pqc_tunnel::test;

constexpr std::string_view usage =
  "usage: pqc_simulate [--schedules N] [--seed S] [--steps K] [--suites ID,ID...]\n"
  "                    [--links 2] [--adversary] [--fleet]\n"
  "                    [--mistake NAME] [--stop] [--json FILE]\n"
  "\n"
  "Each schedule has its own seed: S, S+1 and so on. K steps of 100 ms with mishaps are followed "
  "by "
  "calm.\n"
  "--links 2: two links in every schedule, of which one or the other is cut.\n"
  "--adversary: somebody owns the network, in place of bad weather.\n"
  "--fleet: two or three drones, of which one is hostile; --suites, --links and --adversary do not "
  "go with it.\n"
  "--stop ends at the first failure. Exits 1 if an invariant did not hold.\n";

struct Options
{
  Campaign campaign;
  std::string mistake;
  std::string json;
};

std::optional<std::uint64_t> number(std::string_view text)
{
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

std::vector<std::string> split(const std::string & text)
{
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    parts.push_back(part);
  }
  return parts;
}

// A sentence for the user if they make no sense.
std::optional<std::string> parse(int argc, char ** argv, Options & options)
{
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--stop") {
      options.campaign.stop_at_failure = true;
      continue;
    }
    if (name == "--adversary") {
      options.campaign.given.adversary = true;
      continue;
    }
    if (name == "--fleet") {
      options.campaign.given.fleet = true;
      continue;
    }
    if (i + 1 == argc) {
      return std::string(name) + " needs a value, or is no option";
    }
    const std::string value = argv[++i];
    const auto count = number(value);
    if (name == "--mistake") {
      options.mistake = value;
    } else if (name == "--json") {
      options.json = value;
    } else if (name == "--links") {
      if (count != 2) {
        return "--links needs the number 2";
      }
      options.campaign.given.two_links = true;
    } else if (name == "--suites") {
      options.campaign.suites = split(value);
    } else if (name == "--schedules" || name == "--seed" || name == "--steps") {
      if (!count) {
        return std::string(name) + " needs a number";
      }
      (name == "--schedules" ? options.campaign.schedules
       : name == "--seed"    ? options.campaign.seed
                             : options.campaign.steps) = *count;
    } else {
      return "there is no option " + std::string(name);
    }
  }
  const Circumstances & given = options.campaign.given;
  const bool other_suites = options.campaign.suites != Campaign().suites;
  if (given.fleet && (given.two_links || given.adversary || other_suites)) {
    return "--suites, --links and --adversary do not go with --fleet";
  }
  return std::nullopt;
}

std::string replay(const Options & options, const Failure & failure)
{
  const Campaign defaults;
  std::string line = "pqc_simulate --seed " + std::to_string(failure.seed) + " --schedules 1";
  if (options.campaign.steps != defaults.steps) {
    line += " --steps " + std::to_string(options.campaign.steps);
  }
  if (options.campaign.given.two_links) {
    line += " --links 2";
  }
  if (options.campaign.given.adversary) {
    line += " --adversary";
  }
  if (options.campaign.given.fleet) {
    line += " --fleet";
  }
  if (options.campaign.suites != defaults.suites) {
    line += " --suites ";
    for (const std::string & id : options.campaign.suites) {
      line += (&id == &options.campaign.suites.front() ? "" : ",") + id;
    }
  }
  return options.mistake.empty() ? line : line + " --mistake " + options.mistake;
}

void print_failure(const Options & options, const Failure & failure)
{
  for (const std::string & line : failure.events) {
    std::cout << "  " << line << '\n';
  }
  std::cout << "violated: " << failure.invariant << ": " << failure.text << " ("
            << replay(options, failure) << ")" << std::endl;
}

double seconds(std::chrono::nanoseconds duration)
{
  return std::chrono::duration<double>(duration).count();
}

void write_json(
  std::ostream & out, const Options & options, const CampaignResult & result, double wall)
{
  const Account & account = result.account;
  out << "{\"seed\": " << options.campaign.seed << ", \"schedules\": " << account.schedules
      << ", \"steps\": " << account.steps << ", \"simulated_s\": " << seconds(account.simulated)
      << ", \"datagrams\": " << account.datagrams << ", \"handshakes\": " << account.handshakes
      << ", \"rekeys\": " << account.rekeys << ", \"failed_rekeys\": " << account.failed_rekeys
      << ", \"crashes\": " << account.crashes << ", \"silences\": " << account.silences
      << ", \"cuts\": " << account.cuts << ", \"taken\": " << account.taken
      << ", \"hostile\": " << account.hostile << ", \"fingerprint\": \"" << std::hex
      << account.fingerprint << std::dec << "\", \"wall_s\": " << wall << ", \"violations\": [";
  for (const Failure & failure : result.failures) {
    out << (&failure == &result.failures.front() ? "" : ", ") << "{\"seed\": " << failure.seed
        << ", \"invariant\": \"" << failure.invariant << "\", \"text\": \"" << failure.text
        << "\", \"replay\": \"" << replay(options, failure) << "\"}";
  }
  out << "]}\n";
}

// Mistakes are built into a program of their own beside this one.
void become_program_with_mistakes(char ** argv)
{
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string other = self.parent_path() / "pqc_simulate_mistakes";
  execv(other.c_str(), argv);
  throw std::runtime_error(other + " is not built");
}

int simulate(const Options & options)
{
  if (!plant(options.mistake)) {
    std::cerr << "pqc_simulate: there is no mistake " << options.mistake << "; known are:";
    for (const std::string_view name : mistakes()) {
      std::cerr << ' ' << name;
    }
    std::cerr << '\n';
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const CampaignResult result =
    run(options.campaign, [&options](const Failure & failure) { print_failure(options, failure); });
  const double wall = seconds(std::chrono::steady_clock::now() - start);
  const Account & account = result.account;
  std::cout << account.schedules << " schedules, " << account.steps << " steps, "
            << seconds(account.simulated) / 3600 << " h simulated, " << account.datagrams
            << " datagrams, " << account.rekeys << " rekeys (" << account.failed_rekeys
            << " failed), " << account.crashes << " crashes, " << account.cuts << " cuts, "
            << account.taken << " taken, " << account.hostile << " hostile, "
            << result.failures.size() << " violations, " << wall << " s, fingerprint " << std::hex
            << account.fingerprint << '\n';
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    write_json(file, options, result, wall);
    if (!file.flush()) {
      std::cerr << "pqc_simulate: " << options.json << " can't be written\n";
      return 2;
    }
  }
  return result.failures.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char ** argv)
{
  Options options;
  if (const auto problem = parse(argc, argv, options)) {
    std::cerr << "pqc_simulate: " << *problem << "\n\n" << usage;
    return 2;
  }
  try {
    if (!options.mistake.empty() && mistakes().empty()) {
      become_program_with_mistakes(argv);
    }
    return simulate(options);
  } catch (const std::exception & fault) {
    std::cerr << "pqc_simulate: " << fault.what() << '\n';
    return 2;
  }
}
