// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <deque>
#include <iomanip>
#include <iostream>
#include <thread>

#include "command/given.hpp"
#include "command/measure_echoes.hpp"
#include "command/subprocess.hpp"
#include "command/tunnels.hpp"
#include "command_line/json_writer.hpp"
#include "crypto/algorithm_resolution.hpp"
#include "crypto/components.hpp"
#include "live.hpp"
#include "machine.hpp"
#include "os/process.hpp"
#include "protocol/wire/constants.hpp"

namespace pqc_tunnel::cli
{

namespace
{

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds watched{1500};  // how long streams are counted

// One subject, as a person would ask for it.
struct Subject
{
  const char * name;
  Findings findings;
};

// Returns the given name or file, or the only tunnel of this machine.
Result<std::string> chosen(const Given & given)
{
  if (!given.words.empty()) {
    return given.words.front();
  }
  const auto configured = configured_tunnels();
  if (configured.size() != 1) {
    return fail(
      ErrorCode::invalid_argument, configured.empty()
                                     ? "No tunnel is configured: name a parameter file."
                                     : "Several tunnels are configured: name one.");
  }
  return configured.front();
}

class Doctor
{
public:
  Doctor(const Given & given, fs::path file)
  : given_(given), file_(std::move(file)), roots_{given.proc_root, given.sys_root}
  {
  }

  void examine()
  {
    Findings & parameters = subject("parameters");
    const auto end = read_end(file_, parameters);
    if (end) {
      running_ = running_tunnel(*end);
      check_profile(end->config, parameters);
      check_identity(end->config, subject("keys"));
      check_sockets(*end, running_, Devices::leave, subject("ports"));
      check_serial(
        end->config, !running_.empty(), read_serial_devices(roots_), roots_, subject("serial"));
      check_mtu(*end, roots_, subject("mtu"));
      examine_rights(*end);
      check_plaintext(*end, subject("exposure"));
    }
    examine_exposure();
    examine_peer(end);
    examine_tunnel();
    check_power(read_governors(roots_), subject("power"));
    check_clock(clock_.look(roots_), subject("clock"));
  }

  bool is_good() const
  {
    return std::ranges::all_of(
      subjects_, [](const Subject & one) { return one.findings.is_good(); });
  }

  void print() const
  {
    std::cout << file_.string() << ":\n";
    for (const Subject & one : subjects_) {
      if (one.findings.is_good()) {
        line(one.name, "good");
      }
      for (const Finding & finding : one.findings.all()) {
        line(one.name, std::string(to_string(finding.weight)) + ": " + finding.sentence);
        if (!finding.mend.empty()) {
          line("", "  -> " + finding.mend);
        }
      }
    }
  }

  std::string json() const
  {
    auto subjects = JsonWriter::array();
    for (const Subject & one : subjects_) {
      auto findings = JsonWriter::array();
      for (const Finding & finding : one.findings.all()) {
        findings.element(JsonWriter::object()
                           .text("weight", to_string(finding.weight))
                           .text("sentence", finding.sentence)
                           .text("mend", finding.mend)
                           .str());
      }
      subjects.element(JsonWriter::object()
                         .text("subject", one.name)
                         .flag("good", one.findings.is_good())
                         .raw("findings", findings.str())
                         .str());
    }
    return JsonWriter::object()
      .text("file", file_.string())
      .text("running", running_)
      .flag("good", is_good())
      .raw("subjects", subjects.str())
      .str();
  }

private:
  // Adds the subject unless it is there.
  Findings & subject(const char * name)
  {
    const auto found = std::ranges::find(
      subjects_, std::string_view(name),
      [](const Subject & one) { return std::string_view(one.name); });
    if (found != subjects_.end()) {
      return found->findings;
    }
    subjects_.push_back({name, {}});
    return subjects_.back().findings;
  }

  static void line(const std::string & name, const std::string & text)
  {
    std::cout << "  " << std::left << std::setw(11) << name << text << "\n";
  }

  void examine_rights(const End & end)
  {
    const auto status = running_.empty() ? Result<Answer>(Answer{}) : request(running_, "status");
    const int pid = status ? status->json["pid"].as<int>(0) : 0;
    if (const auto rights = read_rights(roots_, pid)) {
      check_rights(*rights, end.config.packet_thread, subject("rights"));
    } else {
      subject("rights").add_note(
        "The limits of the tunnel's process are hidden.", "sudo pqc doctor");
    }
  }

  void examine_exposure()
  {
    std::error_code ignored;
    const fs::path beside =
      fs::read_symlink("/proc/self/exe", ignored).parent_path() / "pqc-exposure";
    const Finished finished = finish(
      {fs::exists(beside, ignored) ? beside.string() : "pqc-exposure", "--json", "--config",
       file_.string(), "--proc-root", roots_.proc.string()});
    if (finished.code == exit_no_program) {
      subject("exposure")
        .add_note("Sockets of other programs are not looked at: pqc_exposure is not installed.");
    } else {
      check_exposure(finished.output, subject("exposure"));
    }
  }

  void examine_peer(const std::optional<End> & end)
  {
    Findings & both = subject("both ends");
    if (given_.peer.empty() || !end) {
      both.add_note(
        "The other end is not compared.",
        "pqc doctor " + file_.string() + " --peer FILE, with the other end's parameters");
      return;
    }
    const auto file = find_file(given_.peer);
    if (!file) {
      both.add_problem(file.error().message);
      return;
    }
    if (const auto other = read_end(*file, both)) {
      compare_ends(*end, *other, both);
    }
  }

  void examine_tunnel()
  {
    Findings & versions = subject("versions");
    versions.add_note(
      std::string("pqc ") + PQC_TUNNEL_VERSION + ", protocol " + std::to_string(protocol_version) +
      ", " + loaded_libraries() + ".");
    versions.add_note(serving_text());
    if (running_.empty()) {
      subject("peer").add_note(
        "The tunnel does not run, so that peer and streams are not looked at.",
        "pqc up " + file_.stem().string());
      return;
    }
    const auto begun = std::chrono::steady_clock::now();
    const auto before = request(running_, "status");
    examine_answers(before);
    std::this_thread::sleep_until(begun + watched);
    const auto after = request(running_, "status");
    if (!before || !after) {
      subject("peer").add_problem((before ? after : before).error().message);
      return;
    }
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begun;
    check_versions(running_, after->json, versions);
    check_peers(running_, after->json, subject("peer"));
    check_streams(before->json, after->json, time.count(), subject("streams"));
  }

  void examine_answers(const Result<Answer> & status)
  {
    constexpr std::size_t few = 3;
    for (const YAML::Node & peer : status ? status->json["peers"] : YAML::Node()) {
      if (peer["encrypted"].as<bool>(false)) {
        const auto echoes = measure_echoes(running_, {peer["name"].as<std::string>(""), few});
        if (echoes) {
          check_echoes(*echoes, subject("peer"));
        } else {
          subject("peer").add_problem(echoes.error().message, "pqc ping");
        }
      }
    }
  }

  const Given & given_;
  fs::path file_;
  MachineRoots roots_;
  ClockWatch clock_;
  std::string running_;  // this configuration's tunnel; empty: it does not run
  std::deque<Subject> subjects_;
};

}  // namespace

Result<int> doctor(const Given & given)
{
  protect_secrets();
  const auto file = chosen(given).and_then(find_file);
  if (!file) {
    return tl::make_unexpected(file.error());
  }
  Doctor doctor(given, *file);
  doctor.examine();
  if (given.json) {
    std::cout << doctor.json() << "\n";
  } else {
    doctor.print();
  }
  return doctor.is_good() ? exit_success : exit_cannot_run;
}

}  // namespace pqc_tunnel::cli
