// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rounds.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>

namespace pqc_tunnel::speed
{
namespace
{

constexpr Duration short_run = std::chrono::milliseconds(1);
constexpr int clock_readings = 10'001;

// Calls `prepare`, `run` and `check`; returns the duration of `run`.
Duration call(Operation & operation, const RoundOptions & options)
{
  if (operation.prepare) {
    operation.prepare();
  }
  const Instant begin = options.now();
  operation.run();
  const Duration length = options.now() - begin;
  operation.done += operation.runs_per_sample;
  if (operation.check && !operation.check()) {
    ++operation.failed;
  }
  return length;
}

class Timed
{
public:
  explicit Timed(Operation & operation) : operation_(&operation) {}

  void warm_up(const RoundOptions & options) { last_ = call(*operation_, options); }

  void sample(const RoundOptions & options)
  {
    if (options.cap > Duration::zero() && spent_ >= options.cap) {
      operation_->cut = true;
      return;
    }
    if (last_ < short_run) {
      call(*operation_, options);
    }
    last_ = call(*operation_, options);
    spent_ += last_;
    operation_->samples.add(
      static_cast<double>(last_.count()) / static_cast<double>(operation_->runs_per_sample));
  }

private:
  Operation * operation_;
  Duration last_{};
  Duration spent_{};
};

}  // namespace

std::size_t run_rounds(std::span<Subject> subjects, const RoundOptions & options)
{
  std::vector<std::vector<Timed>> timed(subjects.size());
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    for (Operation & operation : subjects[i].operations) {
      operation.samples.reserve(options.count);
      timed[i].emplace_back(operation).warm_up(options);
    }
  }
  const auto stopping = [&options] { return options.stopping && options.stopping(); };
  std::mt19937 dice;  // NOLINT(cert-msc51-cpp): the same order in every run
  std::vector<std::size_t> order(subjects.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t round = 0; round < options.count; ++round) {
    std::ranges::shuffle(order, dice);
    for (const std::size_t index : order) {
      for (Timed & operation : timed[index]) {
        if (stopping()) {
          return round;
        }
        operation.sample(options);
      }
    }
    if (options.progress) {
      options.progress(round + 1);
    }
  }
  return options.count;
}

double clock_cost(const std::function<Instant()> & now)
{
  Samples samples;
  for (int i = 0; i < clock_readings; ++i) {
    const Instant begin = now();
    samples.add(static_cast<double>((now() - begin).count()));
  }
  return samples.percentile(0.5);
}

}  // namespace pqc_tunnel::speed
