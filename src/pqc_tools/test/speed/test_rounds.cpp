// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "speed/rounds.hpp"

namespace pqc_tunnel::speed
{
namespace
{

using namespace std::chrono_literals;

// Operations of given length, on a clock that only they advance.
class Rounds : public testing::Test
{
protected:
  Operation operation(const std::string & name, Duration length)
  {
    Operation made{.name = name};
    made.prepare = [this] { now_ += 1h; };
    made.run = [this, name, length] {
      log_.push_back(name);
      now_ += length;
    };
    return made;
  }
  static Subject subject(std::vector<Operation> operations)
  {
    Subject made;
    made.operations = std::move(operations);
    return made;
  }
  RoundOptions options(std::size_t count)
  {
    RoundOptions made;
    made.count = count;
    made.now = [this] { return now_; };
    return made;
  }

  Instant now_{};
  std::vector<std::string> log_;
};

TEST_F(Rounds, every_operation_gets_its_samples_and_preparation_is_not_timed)
{
  std::vector<Subject> subjects;
  subjects.push_back(subject({operation("a", 3ms), operation("b", 5ms)}));
  subjects.push_back(subject({operation("c", 7ms)}));
  EXPECT_EQ(run_rounds(subjects, options(4)), 4U);
  for (const auto & [index, place, length] :
       {std::tuple{0U, 0U, 3e6}, std::tuple{0U, 1U, 5e6}, std::tuple{1U, 0U, 7e6}})
  {
    const Operation & one = subjects.at(index).operations.at(place);
    EXPECT_EQ(one.samples.count(), 4U);
    EXPECT_EQ(one.samples.percentile(0.0), length);
    EXPECT_EQ(one.samples.percentile(1.0), length);
    EXPECT_EQ(one.done, 5U) << "four timed operations after one untimed";
    EXPECT_FALSE(one.cut);
  }
}

TEST_F(Rounds, algorithms_alternate_and_their_operations_keep_their_order)
{
  std::vector<Subject> subjects;
  subjects.push_back(subject({operation("a", 3ms), operation("b", 3ms)}));
  subjects.push_back(subject({operation("c", 3ms), operation("d", 3ms)}));
  run_rounds(subjects, options(20));
  ASSERT_EQ(log_.size(), 4U * 21);
  bool other_order = false;
  for (auto round = log_.begin(); round != log_.end(); round += 4) {
    const std::string text = round[0] + round[1] + round[2] + round[3];
    EXPECT_TRUE(text == "abcd" || text == "cdab") << text;
    other_order = other_order || text == "cdab";
  }
  EXPECT_TRUE(other_order);
}

TEST_F(Rounds, a_short_operation_runs_once_untimed_before_each_sample)
{
  std::vector<Subject> subjects;
  subjects.push_back(subject({operation("short", 10us)}));
  run_rounds(subjects, options(3));
  EXPECT_EQ(subjects[0].operations[0].samples.count(), 3U);
  EXPECT_EQ(subjects[0].operations[0].done, 7U);
}

TEST_F(Rounds, an_operation_is_cut_when_its_samples_have_taken_the_cap)
{
  std::vector<Subject> subjects;
  subjects.push_back(subject({operation("slow", 400ms), operation("fast", 2ms)}));
  RoundOptions capped = options(50);
  capped.cap = 1s;
  run_rounds(subjects, capped);
  EXPECT_EQ(subjects[0].operations[0].samples.count(), 3U);
  EXPECT_TRUE(subjects[0].operations[0].cut);
  EXPECT_EQ(subjects[0].operations[1].samples.count(), 50U);
  EXPECT_FALSE(subjects[0].operations[1].cut);
}

TEST_F(Rounds, a_sample_of_several_operations_is_divided_by_their_number)
{
  std::vector<Subject> subjects;
  subjects.push_back(subject({operation("many", 32ms)}));
  subjects[0].operations[0].runs_per_sample = 32;
  run_rounds(subjects, options(2));
  EXPECT_EQ(subjects[0].operations[0].samples.percentile(0.5), 1e6);
  EXPECT_EQ(subjects[0].operations[0].done, 96U);
}

TEST_F(Rounds, wrong_results_are_counted)
{
  std::vector<Subject> subjects;
  subjects.push_back(subject({operation("wrong", 2ms)}));
  subjects[0].operations[0].check = [] { return false; };
  run_rounds(subjects, options(2));
  EXPECT_EQ(subjects[0].operations[0].failed, 3U);
}

TEST_F(Rounds, can_be_ended_early)
{
  std::vector<Subject> subjects;
  subjects.push_back(subject({operation("a", 2ms)}));
  RoundOptions early = options(100);
  std::size_t complete = 0;
  early.progress = [&complete](std::size_t round) { complete = round; };
  early.stopping = [&complete] { return complete == 5; };
  EXPECT_EQ(run_rounds(subjects, early), 5U);
  EXPECT_EQ(subjects[0].operations[0].samples.count(), 5U);
}

TEST(Samples, percentiles_lie_between_samples)
{
  Samples samples;
  EXPECT_TRUE(std::isnan(samples.percentile(0.5)));
  for (const double value : {4.0, 1.0, 3.0, 2.0}) {
    samples.add(value);
  }
  EXPECT_EQ(samples.percentile(0.5), 2.5);
  EXPECT_EQ(samples.percentile(0.0), 1.0);
  EXPECT_EQ(samples.percentile(1.0), 4.0);
  EXPECT_EQ(samples.mean(), 2.5);
}

}  // namespace
}  // namespace pqc_tunnel::speed
