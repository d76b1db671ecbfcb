// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/client.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <rosidl_typesupport_cpp/service_type_support.hpp>
#include <string>
#include <utility>
#include <vector>

#include "rclcpp/detail/entity.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp
{

namespace detail
{

/// A future and the number of the request it belongs to; stands for the future itself.
template <typename FutureT>
struct FutureAndRequestId
{
  FutureT future;
  int64_t request_id;

  FutureAndRequestId(FutureT result, int64_t id) : future(std::move(result)), request_id(id) {}

  auto get() { return future.get(); }
  bool valid() const noexcept { return future.valid(); }
  void wait() const { future.wait(); }
  template <class Rep, class Period>
  std::future_status wait_for(const std::chrono::duration<Rep, Period> & timeout) const
  {
    return future.wait_for(timeout);
  }
  template <class Clock, class Duration>
  std::future_status wait_until(const std::chrono::time_point<Clock, Duration> & time) const
  {
    return future.wait_until(time);
  }
};

}  // namespace detail

class ClientBase : public detail::Entity
{
public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(ClientBase)

  ClientBase(
    node_interfaces::NodeBaseInterface & node, const rosidl_service_type_support_t & type,
    const std::string & name, const QoS & qos, CallbackGroup::SharedPtr group);

  const char * get_service_name() const { return rcl_client_get_service_name(handle()); }
  bool service_is_ready() const;

  /// True once a server is there; false after the time (negative: never) or on shutdown.
  template <typename Rep, typename Period>
  bool wait_for_service(std::chrono::duration<Rep, Period> timeout)
  {
    return wait_for_service_nanoseconds(
      std::chrono::duration_cast<std::chrono::nanoseconds>(timeout));
  }
  bool wait_for_service() { return wait_for_service_nanoseconds(std::chrono::nanoseconds(-1)); }

  /// Forgets a request whose response isn't wanted any more; false if it was answered or unknown.
  bool remove_pending_request(int64_t request_id);
  /// Forgets all of them and says how many there were.
  size_t prune_pending_requests();
  /// Forgets those sent before that time; their numbers are appended to `pruned`.
  size_t prune_requests_older_than(
    std::chrono::time_point<std::chrono::system_clock> time,
    std::vector<int64_t> * pruned = nullptr);

  void execute() override;

protected:
  using ResponseHandler = std::function<void(std::shared_ptr<void>)>;

  virtual std::shared_ptr<void> create_response() = 0;
  int64_t send_request_message(const void * request, ResponseHandler handler);

private:
  struct Pending
  {
    std::chrono::time_point<std::chrono::system_clock> sent;
    ResponseHandler handler;
  };

  bool wait_for_service_nanoseconds(std::chrono::nanoseconds timeout);
  rcl_client_t * handle() const { return static_cast<rcl_client_t *>(rcl_handle.get()); }

  Context::SharedPtr context_;
  std::shared_ptr<rcl_node_t> node_;
  std::mutex pending_mutex_;
  std::map<int64_t, Pending> pending_;
};

template <typename ServiceT>
class Client : public ClientBase
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(Client<ServiceT>)
  using Request = typename ServiceT::Request;
  using Response = typename ServiceT::Response;
  using SharedRequest = typename Request::SharedPtr;
  using SharedResponse = typename Response::SharedPtr;
  using Promise = std::promise<SharedResponse>;
  using SharedPromise = std::shared_ptr<Promise>;
  using Future = std::future<SharedResponse>;
  using SharedFuture = std::shared_future<SharedResponse>;
  using SharedFutureWithRequest = std::shared_future<std::pair<SharedRequest, SharedResponse>>;
  using CallbackType = std::function<void(SharedFuture)>;
  using CallbackWithRequestType = std::function<void(SharedFutureWithRequest)>;

  struct FutureAndRequestId : detail::FutureAndRequestId<Future>
  {
    using detail::FutureAndRequestId<Future>::FutureAndRequestId;
    SharedFuture share() noexcept { return this->future.share(); }
  };
  struct SharedFutureAndRequestId : detail::FutureAndRequestId<SharedFuture>
  {
    using detail::FutureAndRequestId<SharedFuture>::FutureAndRequestId;
  };
  struct SharedFutureWithRequestAndRequestId : detail::FutureAndRequestId<SharedFutureWithRequest>
  {
    using detail::FutureAndRequestId<SharedFutureWithRequest>::FutureAndRequestId;
  };

  Client(
    node_interfaces::NodeBaseInterface & node, const std::string & name, const QoS & qos,
    CallbackGroup::SharedPtr group)
  : ClientBase(
      node, *rosidl_typesupport_cpp::get_service_type_support_handle<ServiceT>(), name, qos,
      std::move(group))
  {
  }

  FutureAndRequestId async_send_request(SharedRequest request)
  {
    auto promise = std::make_shared<Promise>();
    auto future = promise->get_future();
    const auto id = send_request_message(request.get(), [promise](std::shared_ptr<void> response) {
      promise->set_value(std::static_pointer_cast<Response>(std::move(response)));
    });
    return FutureAndRequestId(std::move(future), id);
  }

  template <typename CallbackT>
  requires std::is_convertible_v<CallbackT, CallbackType> SharedFutureAndRequestId
  async_send_request(SharedRequest request, CallbackT && callback)
  {
    auto promise = std::make_shared<Promise>();
    auto future = promise->get_future().share();
    const auto id = send_request_message(
      request.get(), [promise, future, callback = CallbackType(std::forward<CallbackT>(callback))](
                       std::shared_ptr<void> response) {
        promise->set_value(std::static_pointer_cast<Response>(std::move(response)));
        callback(future);
      });
    return SharedFutureAndRequestId(std::move(future), id);
  }

  template <typename CallbackT>
  requires(
    std::is_convertible_v<CallbackT, CallbackWithRequestType> &&
    !std::is_convertible_v<CallbackT, CallbackType>) SharedFutureWithRequestAndRequestId
    async_send_request(SharedRequest request, CallbackT && callback)
  {
    auto promise = std::make_shared<std::promise<std::pair<SharedRequest, SharedResponse>>>();
    auto future = promise->get_future().share();
    const auto id = send_request_message(
      request.get(), [promise, future, request,
                      callback = CallbackWithRequestType(std::forward<CallbackT>(callback))](
                       std::shared_ptr<void> response) {
        promise->set_value({request, std::static_pointer_cast<Response>(std::move(response))});
        callback(future);
      });
    return SharedFutureWithRequestAndRequestId(std::move(future), id);
  }

  bool remove_pending_request(int64_t id) { return ClientBase::remove_pending_request(id); }
  template <typename FutureT>
  bool remove_pending_request(const detail::FutureAndRequestId<FutureT> & future)
  {
    return ClientBase::remove_pending_request(future.request_id);
  }

private:
  std::shared_ptr<void> create_response() override { return std::make_shared<Response>(); }
};

}  // namespace rclcpp
