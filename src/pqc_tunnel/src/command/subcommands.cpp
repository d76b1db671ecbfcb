// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>

#include "crypto/suites/suite.hpp"
#include "given.hpp"
#include "protocol/wire/constants.hpp"
#include "tunnels.hpp"

namespace pqc_tunnel::cli
{

namespace
{

using List = std::vector<std::string>;

constexpr const char * places =
  R"(pqc COMMAND --help describes a command. NAME may be left out if one tunnel runs.
Configurations are /etc/pqc/NAME.yaml ($PQC_CONFIG_DIR), control sockets /run/pqc/NAME.sock
($PQC_RUN_DIR), for other users than root $XDG_RUNTIME_DIR/pqc/NAME.sock.)";

List running() { return running_tunnels().value_or(List()); }

List suite_ids()
{
  List ids;
  for (const Suite & suite : registry().all()) {
    ids.emplace_back(suite.id);
  }
  return ids;
}

List running_or_suites()
{
  List list = running();
  std::ranges::copy(suite_ids(), std::back_inserter(list));
  return list;
}

// The command line of pqc. Parsing, help and completion all use it.
class Pqc
{
public:
  Pqc();

  // Prints what the word begun may become after these words, one candidate a line; nothing where a shell completes files.
  void print_candidates(const std::string & begun, const std::vector<std::string> & typed) const;

  int run(const std::vector<std::string> & words)
  {
    return run_program(app_, words, [this] { return act_(given_); });
  }

private:
  using Words = std::vector<std::string> (*)();
  using Act = Result<int> (*)(const Given & given);

  CLI::App & add(CLI::App & to, const std::string & name, Act act, const std::string & summary);
  CLI::Option & add_word(
    CLI::App & to, const std::string & name, Words words, const std::string & help);
  void add_tunnel_commands();
  void add_identity_commands();

  CLI::App app_;
  Given given_;
  Act act_ = nullptr;                           // what the given words ask for
  std::map<const CLI::Option *, Words> words_;  // null: files
};

Pqc::Pqc() : app_("The tunnel of PQC-MAV: keys, start, state and rekeys.", "pqc")
{
  app_.footer(places)->require_subcommand(1)->set_version_flag(
    "--version", std::string("pqc ") + PQC_TUNNEL_VERSION + " (protocol " +
                   std::to_string(protocol_version) + ")");
  add_tunnel_commands();
  add_identity_commands();
  add(app_, "exposure", nullptr, "sockets that carry plaintext beyond this machine");
  CLI::App & table = add(app_, "parameters", parameters, "every parameter with its default");
  add_word(
    table, "ROLE",
    [] {
      return List{"drone", "gcs"};
    },
    "drone or gcs: of this end only");
  table.add_flag("--json", given_.json, "print JSON");
  CLI::App & script = add(app_, "completion", completion, "a script that completes pqc in a shell");
  add_word(
    script, "SHELL",
    [] {
      return List{"bash", "zsh", "fish"};
    },
    "bash, zsh or fish")
    .required();
  script.footer(
    "bash: source <(pqc completion bash)\n"
    "zsh:  source <(pqc completion zsh)\n"
    "fish: pqc completion fish | source");
}

CLI::App & Pqc::add(CLI::App & to, const std::string & name, Act act, const std::string & summary)
{
  CLI::App * const added = to.add_subcommand(name, summary);
  added->callback([this, act] { act_ = act; });
  return *added;
}

CLI::Option & Pqc::add_word(
  CLI::App & to, const std::string & name, Words words, const std::string & help)
{
  const auto store = [this](const std::string & word) { given_.words.push_back(word); };
  CLI::Option * const added = to.add_option_function<std::string>(name, store, help);
  words_[added] = words;
  return *added;
}

void Pqc::add_tunnel_commands()
{
  CLI::App & starting = add(app_, "up", up, "start the tunnel of /etc/pqc/NAME.yaml");
  add_word(starting, "NAME", configured_tunnels, "the tunnel").required();
  starting.footer(
    "Waits until the tunnel runs or has failed. Root uses the unit pqc@NAME.service if it is\n"
    "installed; otherwise pqc_tunneld runs in the background and logs beside its control socket.");
  add_word(add(app_, "down", down, "stop it"), "NAME", running, "the tunnel").required();

  CLI::App & state = add(app_, "show", show, "state of the running tunnels");
  add_word(state, "NAME", running, "one tunnel only");
  state.add_flag("--json", given_.json, "print JSON");
  state.footer(
    "Exit code: 0 every tunnel is encrypted with every peer; 1 one is not, or none runs.");

  CLI::App & keys =
    add(app_, "rekey", rekey, "fresh keys, or another suite; waits for the outcome");
  add_word(keys, "NAME", running_or_suites, "the tunnel");
  add_word(keys, "SUITE", suite_ids, "the suite of the new keys; otherwise the same");
  keys.add_flag(
    "--ratchet", given_.ratchet,
    "the next keys of the same suite without public-key operations: a few bytes, but no healing\n"
    "after a theft of keys");
  keys.add_flag(
    "--one-time-key", given_.one_time_key,
    "a ratchet with a one-time key of the anchor: about 390 bytes, and codes as a second family");
  keys.add_flag("--json", given_.json, "print JSON");
  CLI::App & ahead = add(app_, "prefetch", prefetch, "fetch a suite's key in the background");
  add_word(ahead, "NAME", running_or_suites, "the drone's tunnel");
  add_word(ahead, "SUITE", suite_ids, "the suite of a rekey to come");
  ahead.add_flag("--json", given_.json, "print JSON");
  ahead.footer("pqc show tells how far it is. A rekey to the suite then begins at once.");
  CLI::App & erased = add(app_, "wipe", wipe, "erase the session's keys at this end");
  add_word(erased, "NAME", running, "the tunnel");
  erased.add_flag(
    "--at-drone", given_.at_drone,
    "from the ground: erase the keys of the drone itself, where its erase_on_request is true");
  erased.footer("A drone then begins a new session at once, unless its own keys are erased.");
  CLI::App & anew =
    add(app_, "reload", reload, "read the keys of this end anew, without a restart");
  add_word(anew, "NAME", running, "the tunnel");
  anew.footer(
    "A ground station serves the drones of its folder drones from then on. A drone whose keys stay "
    "loses\nno datagram.");
  CLI::App & echoes = add(app_, "ping", ping, "round trip, losses, path MTU and versions");
  add_word(echoes, "NAME", running, "the tunnel");
  limit(echoes.add_option("--count", given_.count, "how many to send (5)"), {1, 1000});
  echoes.add_flag(
    "--path-mtu", given_.path_mtu,
    "look for the longest packet on a link of known rate, too, which costs some of its airtime");
  echoes.add_flag("--json", given_.json, "print JSON");
  echoes.footer(
    "Asks the other end through the tunnel. Exit code: 0 it has answered, 1 it has not.");
  for (CLI::App * of_one_drone : {&keys, &erased, &echoes}) {
    of_one_drone
      ->add_option("--drone", given_.drones, "needed at a ground station with several drones")
      ->type_name("DRONE");
  }

  CLI::App & copied = add(app_, "deploy", deploy, "copy the programs to another computer");
  add_word(copied, "HOST", nullptr, "as ssh understands it").required();
  copied.add_option("--from", given_.from, "the folder with bin/pqc_tunneld for its processor")
    ->type_name("DIR");
  copied.footer(
    "Copies to ~/pqc there by rsync over ssh, with your configuration and keys; builds nothing. "
    "Copies no\nkeys and no parameters.");

  CLI::App & list =
    add(app_, "suites", suites, "the suites of a running tunnel, or of this machine");
  add_word(list, "NAME", running, "the tunnel");
  list.add_flag(
    "--algorithms", given_.algorithms,
    "the algorithms of this machine instead: revision, and the library that computes each");
  list.add_flag("--json", given_.json, "print JSON");

  CLI::App & test = add(app_, "check", check, "check parameters, keys, ports and addresses");
  add_word(test, "NAME", configured_tunnels, "a tunnel or a parameter file").required();
  add_word(test, "PEER", nullptr, "as --peer");
  test.footer("Lists every problem. Exit code: 0 good, 1 problems, 2 wrong usage.");
  CLI::App & whole = add(
    app_, "doctor", doctor, "what is wrong here, and what mends it: all of check, and the machine");
  add_word(whole, "NAME", configured_tunnels, "a tunnel or a parameter file");
  for (const auto & [name, root] :
       {std::pair{"--proc-root", &given_.proc_root}, std::pair{"--sys-root", &given_.sys_root}})
  {
    whole.add_option(name, *root, "another root than that of this machine")->type_name("FOLDER");
  }
  whole.add_flag("--json", given_.json, "print JSON");
  whole.footer(
    "Opens no device and sends nothing. Root sees more. Exit code: 0 nothing is wrong, 1 a problem "
    "or\na warning, 2 wrong usage.");
  for (CLI::App * comparing : {&test, &whole}) {
    comparing
      ->add_option(
        "--peer", given_.peer,
        "the other end's tunnel or file: compares what both must agree on, but does not check "
        "keys\nand ports of that end")
      ->type_name("FILE");
  }
}

void Pqc::add_identity_commands()
{
  CLI::App & identity = *app_.add_subcommand("identity", "keys of a ground station and its drones");
  identity.require_subcommand(1);
  CLI::App & init =
    add(identity, "init", identity_init, "make the keys of a ground station and its drones");
  init.footer(
    "Makes DIR/gcs for the ground station and DIR/NAME for each drone. Carry each folder to its\n"
    "machine on a medium that you trust, never over a network. No file is overwritten, and an\n"
    "interrupted run leaves nothing.");
  CLI::App & more =
    add(identity, "add-drone", identity_add_drone, "add drones to DIR/gcs, and make DIR/NAME");
  CLI::App & anchor =
    add(identity, "anchor", identity_anchor, "add keys of the anchor to DIR/gcs and its drones");
  anchor.footer(
    "Makes the last-resort key if there is none of that level, and more one-time keys for each\n"
    "drone, or for those named. Carry the folders anchor to their machines.");
  CLI::App & paired =
    add(app_, "pair", pair, "a drone's keys in one sealed file, and the code that opens it");
  add_word(paired, "DRONE", nullptr, "makes its keys if there are none yet");
  paired.add_option("--take", given_.take, "on the drone: the sealed file")->type_name("FILE");
  paired.add_option("--identity", given_.identity, "on the drone: the folder for its keys")
    ->type_name("DIR");
  paired
    .add_option(
      "--code", given_.code,
      "a file for the code, instead of the terminal; only its owner reads it")
    ->type_name("FILE");
  paired.footer(
    "Writes DIR/DRONE.pair, which tells nothing without the code, and shows the code as text and\n"
    "as a QR code. On the drone --take asks for it. Both ends show a number: compare them.");
  for (CLI::App * making : {&init, &more, &anchor, &paired}) {
    making->add_option("--out", given_.out, "where the keys are")
      ->type_name("DIR")
      ->required(making != &paired);
    if (making != &paired) {
      making->add_option("--drone", given_.drones, "a drone; may be repeated")
        ->type_name("NAME")
        ->required(making != &anchor);
    }
    making->add_option("--anchor", given_.anchor, "level of the anchor, as that of suite (3)")
      ->type_name(making == &anchor ? "1|3|5" : "1|3|5|none");
    limit(
      making->add_option("--one-time", given_.one_time, "one-time keys for each drone (16)"),
      {0, 1000});
  }
  anchor.add_flag(
    "--rotate", given_.rotate,
    "replace the last-resort key; the ground keeps the one before until the next rotation");
  init.add_option("--signatures", given_.signatures, "signature algorithms, separated by commas")
    ->type_name("all|LIST");
  for (CLI::App * making : {&init, &more, &paired}) {
    making->add_option("--drone-signatures", given_.drone_signatures, "for drone_signature: true")
      ->type_name("none|all|LIST");
  }
  CLI::App & renewed =
    add(identity, "rotate", identity_rotate, "replace keys of drones; the ones before still do");
  renewed.footer(
    "Makes new keys in DIR/gcs and DIR/NAME. Each end uses the ones before, too, until both have\n"
    "the new ones: carry the folders to their machines in any order, and run pqc reload there.\n"
    "No datagram gets lost.");
  CLI::App & revoked =
    add(identity, "revoke", identity_revoke, "take drones out of DIR/gcs, for ever");
  CLI::App & limited =
    add(identity, "expire", identity_expire, "the last day on which a session of drones begins");
  limited.add_option("--on", given_.date, "the day, in UTC")
    ->type_name("2027-01-31|never")
    ->required();
  limited.footer("A session that has begun goes on. Run pqc reload afterwards.");
  for (CLI::App * changing : {&renewed, &revoked, &limited}) {
    changing->add_option("--out", given_.out, "where the keys are")->type_name("DIR")->required();
    changing->add_option("--drone", given_.drones, "a drone; may be repeated")
      ->type_name("NAME")
      ->required(changing != &renewed);
  }
  renewed.add_flag(
    "--signing", given_.signing,
    "new signing keys of the ground station, too, and so new keys of all drones");
  limit(
    renewed.add_option("--overlap", given_.overlap_days, "days for which the ones before do (30)"),
    {0, 3650});
  renewed.add_flag(
    "--again", given_.again, "although a drone may not have the keys of the last rotation yet");
  CLI::App & listed = add(identity, "list", identity_list, "the drones of a ground station");
  add_word(listed, "DIR", nullptr, "its folder").required();
  CLI::App & inspect =
    add(identity, "inspect", identity_inspect, "describe keys, or whether two ends match");
  add_word(inspect, "PATH", nullptr, "a file or folder, described without secrets").required();
  add_word(
    inspect, "OTHER", nullptr, "with a drone's and a ground station's folder: do they match?");
  inspect.footer("Exit code: 0 described or matching, 1 not.");
}

void Pqc::print_candidates(const std::string & begun, const List & typed) const
{
  const CLI::App * command = &app_;
  std::size_t words = 0;
  bool is_value = false;
  for (const std::string & word : typed) {
    const auto under =
      command->get_subcommands([&](const CLI::App * one) { return one->get_name() == word; });
    if (!under.empty()) {
      command = under.front();
    } else if (is_value) {
      is_value = false;
    } else if (word.starts_with('-')) {
      const CLI::Option * const option = command->get_option_no_throw(word);
      is_value = option != nullptr && option->get_items_expected_max() > 0;
    } else {
      ++words;
    }
  }
  if (is_value) {
    return;
  }
  List candidates;
  for (const CLI::App * one : command->get_subcommands({})) {
    candidates.push_back(one->get_name());
  }
  const bool has_options = candidates.empty() || command == &app_;
  List names;
  for (const CLI::Option * option : command->get_options()) {
    if (!option->get_positional()) {
      names.push_back(option->get_name());
    } else if (words-- == 0 && !begun.starts_with('-')) {
      const Words complete = words_.at(option);
      if (complete == nullptr) {
        return;
      }
      candidates = complete();
    }
  }
  if (has_options) {
    std::ranges::copy(names, std::back_inserter(candidates));
  }
  for (const std::string & candidate : candidates) {
    if (candidate.starts_with(begun)) {
      std::cout << candidate << "\n";
    }
  }
}

}  // namespace

int run_pqc(const List & words)
{
  Pqc pqc;
  if (words.empty() || words.front() != "complete-words") {
    return pqc.run(words);
  }
  // For the scripts of completion(): the word begun, then the words before it.
  const auto begun = words.begin() + 1;
  if (begun != words.end()) {
    pqc.print_candidates(*begun, {begun + 1, words.end()});
  } else {
    pqc.print_candidates("", {});
  }
  return exit_success;
}

}  // namespace pqc_tunnel::cli
