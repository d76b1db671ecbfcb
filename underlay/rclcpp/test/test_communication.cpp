// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/string.hpp>
#include <std_srvs/srv/set_bool.hpp>
#include <string>
#include <vector>

namespace
{

using namespace std::chrono_literals;
using std_msgs::msg::String;
using std_srvs::srv::SetBool;

constexpr auto patience = 60s;

class Communication : public testing::Test
{
protected:
  Communication() { executor_.add_node(node_); }

  /// Serves the node until it is so, and says whether it came to be so.
  bool until(const std::function<bool()> & done)
  {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!done() && std::chrono::steady_clock::now() < end) executor_.spin_once(100ms);
    return done();
  }

  static String text(const std::string & data)
  {
    String message;
    message.data = data;
    return message;
  }

  rclcpp::Node::SharedPtr node_ = rclcpp::Node::make_shared("communication", "/test");
  rclcpp::executors::SingleThreadedExecutor executor_;
};

}  // namespace

TEST_F(Communication, a_subscription_takes_a_message_in_any_of_its_forms)
{
  std::vector<std::string> heard;
  const auto listen = [&](auto callback) {
    return node_->create_subscription<String>("chat", 10, callback);
  };
  const std::vector<rclcpp::SubscriptionBase::SharedPtr> subscriptions{
    listen([&](String::ConstSharedPtr message) { heard.push_back("1" + message->data); }),
    listen([&](String::SharedPtr message) { heard.push_back("2" + message->data); }),
    listen([&](const String & message) { heard.push_back("3" + message.data); }),
    listen([&](String::UniquePtr message) { heard.push_back("4" + message->data); }),
    listen([&](const String & message, const rclcpp::MessageInfo & info) {
      heard.push_back("5" + message.data);
      EXPECT_GT(info.get_rmw_message_info().source_timestamp, 0);
    }),
  };
  const auto publisher = node_->create_publisher<String>("chat", 10);
  ASSERT_TRUE(until([&] { return publisher->get_subscription_count() == 5; }));
  publisher->publish(text("a"));
  ASSERT_TRUE(until([&] { return heard.size() == 5; }));
  publisher->publish(std::make_unique<String>(text("b")));
  ASSERT_TRUE(until([&] { return heard.size() == 10; }));
  std::sort(heard.begin(), heard.end());
  EXPECT_EQ(
    heard, (std::vector<std::string>{"1a", "1b", "2a", "2b", "3a", "3b", "4a", "4b", "5a", "5b"}));
  EXPECT_STREQ(publisher->get_topic_name(), "/test/chat");
}

TEST_F(Communication, who_comes_late_gets_the_latched_message)
{
  const auto latched = rclcpp::QoS(1).reliable().transient_local();
  const auto publisher = node_->create_publisher<String>("latched", latched);
  publisher->publish(text("first"));
  publisher->publish(text("last"));
  std::string heard;
  const auto subscription = node_->create_subscription<String>(
    "latched", latched, [&](const String & message) { heard += message.data; });
  ASSERT_TRUE(until([&] { return !heard.empty(); }));
  EXPECT_EQ(heard, "last");
  EXPECT_EQ(publisher->get_actual_qos().durability(), rclcpp::DurabilityPolicy::TransientLocal);
}

TEST_F(Communication, a_subscription_that_nobody_holds_hears_nothing)
{
  int heard = 0;
  auto dropped =
    node_->create_subscription<String>("drop", 10, [&](const String &) { heard += 100; });
  const auto kept =
    node_->create_subscription<String>("drop", 10, [&](const String &) { heard += 1; });
  const auto publisher = node_->create_publisher<String>("drop", 10);
  ASSERT_TRUE(until([&] { return publisher->get_subscription_count() == 2; }));
  publisher->publish(text("a"));
  dropped.reset();
  ASSERT_TRUE(until([&] { return heard > 0; }));
  EXPECT_EQ(heard, 1);
}

TEST_F(Communication, the_graph_is_visible)
{
  const auto publisher = node_->create_publisher<String>("seen", 1);
  const auto service = node_->create_service<SetBool>(
    "serve", [](SetBool::Request::SharedPtr, SetBool::Response::SharedPtr) {});
  ASSERT_TRUE(until([&] { return node_->count_publishers("seen") == 1; }));
  EXPECT_EQ(node_->count_subscribers("seen"), 0U);
  EXPECT_EQ(
    node_->get_topic_names_and_types().at("/test/seen"),
    std::vector<std::string>{"std_msgs/msg/String"});
  ASSERT_TRUE(until([&] { return node_->count_services("serve") == 1; }));
  EXPECT_TRUE(node_->get_service_names_and_types().contains("/test/serve"));
  EXPECT_TRUE(
    node_->get_service_names_and_types_by_node("communication", "/test").contains("/test/serve"));
  const auto names = node_->get_node_names();
  EXPECT_EQ(std::count(names.begin(), names.end(), "/test/communication"), 1);
}

TEST_F(Communication, a_name_that_ros_does_not_allow_is_refused)
{
  EXPECT_THROW(
    node_->create_publisher<String>("not allowed", 1), rclcpp::exceptions::InvalidTopicNameError);
  EXPECT_THROW(rclcpp::Node("not allowed"), rclcpp::exceptions::InvalidNodeNameError);
}

TEST_F(Communication, names_are_remapped_and_put_into_namespaces)
{
  const auto node = rclcpp::Node::make_shared(
    "given", rclcpp::NodeOptions().arguments(
               {"--ros-args", "-r", "__node:=renamed", "-r", "__ns:=/other", "-r", "a:=/b"}));
  EXPECT_STREQ(node->get_fully_qualified_name(), "/other/renamed");
  EXPECT_STREQ(node->create_publisher<String>("a", 1)->get_topic_name(), "/b");
}

TEST_F(Communication, a_service_answers_on_return)
{
  const auto service = node_->create_service<SetBool>(
    "set", [](SetBool::Request::SharedPtr request, SetBool::Response::SharedPtr response) {
      response->success = !request->data;
    });
  const auto client = node_->create_client<SetBool>("set");
  ASSERT_TRUE(client->wait_for_service(patience));
  auto request = std::make_shared<SetBool::Request>();
  auto answer = client->async_send_request(request);
  ASSERT_EQ(
    executor_.spin_until_future_complete(answer, patience), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_TRUE(answer.get()->success);
}

TEST_F(Communication, a_service_may_answer_later)
{
  using Service = rclcpp::Service<SetBool>;
  std::function<void()> answer_now;
  const auto service = node_->create_service<SetBool>(
    "later", [&](
               std::shared_ptr<Service> self, std::shared_ptr<rmw_request_id_t> header,
               SetBool::Request::SharedPtr request) {
      answer_now = [self, header, request] {
        SetBool::Response response;
        response.success = request->data;
        self->send_response(*header, response);
      };
    });
  const auto client = node_->create_client<SetBool>("later");
  ASSERT_TRUE(client->wait_for_service(patience));
  auto request = std::make_shared<SetBool::Request>();
  request->data = true;
  bool answered = false;
  client->async_send_request(request, [&](rclcpp::Client<SetBool>::SharedFuture future) {
    answered = future.get()->success;
  });
  ASSERT_TRUE(until([&] { return answer_now != nullptr; }));
  EXPECT_FALSE(answered);
  answer_now();
  EXPECT_TRUE(until([&] { return answered; }));
}

TEST_F(Communication, a_later_answer_needs_only_the_header)
{
  std::shared_ptr<rmw_request_id_t> asked;
  const auto service = node_->create_service<SetBool>(
    "header",
    [&](std::shared_ptr<rmw_request_id_t> header, SetBool::Request::SharedPtr) { asked = header; });
  const auto client = node_->create_client<SetBool>("header");
  ASSERT_TRUE(client->wait_for_service(patience));
  auto answer = client->async_send_request(std::make_shared<SetBool::Request>());
  ASSERT_TRUE(until([&] { return asked != nullptr; }));
  SetBool::Response response;
  response.message = "done";
  service->send_response(*asked, response);
  ASSERT_EQ(
    executor_.spin_until_future_complete(answer, patience), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_EQ(answer.get()->message, "done");
}

TEST_F(Communication, a_client_gives_up_on_a_service_that_is_not_there)
{
  const auto client = node_->create_client<SetBool>("nobody");
  EXPECT_FALSE(client->service_is_ready());
  EXPECT_FALSE(client->wait_for_service(1ms));
  const auto request = client->async_send_request(std::make_shared<SetBool::Request>());
  EXPECT_EQ(executor_.spin_until_future_complete(request, 1ms), rclcpp::FutureReturnCode::TIMEOUT);
  EXPECT_TRUE(client->remove_pending_request(request));
  EXPECT_FALSE(client->remove_pending_request(request));
}
