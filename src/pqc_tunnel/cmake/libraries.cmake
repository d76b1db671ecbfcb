# The libraries, one file list per room of src/. Each may use those above it, never one below; lint checks it.

# Cryptography and protocol: no ROS, no sockets, no clock.
add_library(pqc_tunnel_core STATIC
  src/base/contract.cpp
  src/base/nearest_name.cpp
  src/base/shown_text.cpp

  src/crypto/aead.cpp
  src/crypto/algorithm_resolution.cpp
  src/crypto/algorithm_table.cpp
  src/crypto/algorithms.cpp
  src/crypto/ascon.cpp
  src/crypto/hkdf.cpp
  src/crypto/kem.cpp
  src/crypto/oqs_random.cpp
  src/crypto/random.cpp
  src/crypto/secret.cpp
  src/crypto/self_test.cpp
  src/crypto/signature.cpp
  src/crypto/signature_self_test.cpp
  src/crypto/suite.cpp
  src/crypto/x25519.cpp

  src/paths/arrival_rate.cpp
  src/paths/bundle.cpp
  src/paths/candidates.cpp
  src/paths/cobs.cpp
  src/paths/drop_watch.cpp
  src/paths/flow_queue.cpp
  src/paths/fragment.cpp
  src/paths/link_queue.cpp
  src/paths/mavlink_class.cpp
  src/paths/mavlink_frame.cpp
  src/paths/mavlink_statustext.cpp
  src/paths/mavlink_stream.cpp
  src/paths/path_health.cpp
  src/paths/path_report.cpp
  src/paths/path_set.cpp
  src/paths/radio_status.cpp
  src/paths/shaper.cpp
  src/paths/shared_shaper.cpp
  src/paths/traffic_class.cpp

  src/protocol/boot_channel.cpp
  src/protocol/clock_sync.cpp
  src/protocol/control_frame.cpp
  src/protocol/delivery_rate.cpp
  src/protocol/drone_end.cpp
  src/protocol/drone_hellos.cpp
  src/protocol/drone_prekeys.cpp
  src/protocol/drone_rekeys.cpp
  src/protocol/drone_sessions.cpp
  src/protocol/epoch_keys.cpp
  src/protocol/event.cpp
  src/protocol/gcs_end.cpp
  src/protocol/handshake_crypto.cpp
  src/protocol/hello_gate.cpp
  src/protocol/hello_messages.cpp
  src/protocol/key_messages.cpp
  src/protocol/key_schedule.cpp
  src/protocol/key_slots.cpp
  src/protocol/likely_cause.cpp
  src/protocol/link_estimator.cpp
  src/protocol/notice_pacer.cpp
  src/protocol/outbound.cpp
  src/protocol/output.cpp
  src/protocol/peer.cpp
  src/protocol/peer_fragments.cpp
  src/protocol/peer_keys.cpp
  src/protocol/peer_link.cpp
  src/protocol/peer_receiving.cpp
  src/protocol/peer_sending.cpp
  src/protocol/peer_streams.cpp
  src/protocol/policy_notice.cpp
  src/protocol/prekey_pool.cpp
  src/protocol/prekey_supply.cpp
  src/protocol/queue_delay.cpp
  src/protocol/ratchet.cpp
  src/protocol/rate_search.cpp
  src/protocol/rekey.cpp
  src/protocol/repeated_failure.cpp
  src/protocol/reassembly.cpp
  src/protocol/replay_window.cpp
  src/protocol/saturation.cpp
  src/protocol/served_context.cpp
  src/protocol/served_drone.cpp
  src/protocol/served_rekeys.cpp
  src/protocol/served_reports.cpp
  src/protocol/served_session.cpp
  src/protocol/settings.cpp
  src/protocol/snapshot.cpp
  src/protocol/stream_receiver.cpp
  src/protocol/stream_sender.cpp
  src/protocol/suite_objection.cpp
  src/protocol/tunnel.cpp
  src/protocol/wire.cpp
)
target_link_libraries(pqc_tunnel_core PUBLIC OpenSSL::Crypto OQS::oqs)

# Processes, threads, sockets, command lines, parameter files.
add_library(pqc_tunnel_net STATIC
  src/os/clock.cpp
  src/os/machine_load.cpp
  src/os/named_file.cpp
  src/os/output_relay.cpp
  src/os/process.cpp
  src/os/processes.cpp
  src/os/replaced_file.cpp
  src/os/service_manager.cpp
  src/os/thread.cpp
  src/os/wiped_stack.cpp

  src/net/address.cpp
  src/net/datagram_batch.cpp
  src/net/interfaces.cpp
  src/net/mavlink_ports.cpp
  src/net/poller.cpp
  src/net/resolver.cpp
  src/net/serial_port.cpp
  src/net/sockets.cpp

  src/command_line/arguments.cpp

  src/config/parameter_file.cpp
)
target_link_libraries(pqc_tunnel_net PUBLIC pqc_tunnel_core Threads::Threads PRIVATE yaml-cpp)

# One end of the tunnel: its parameters, its keys, its threads.
add_library(pqc_tunnel_engine STATIC
  src/config/make_config.cpp
  src/config/make_links.cpp
  src/config/parameter_check.cpp
  src/config/parameter_table.cpp

  src/identity/describe_identity.cpp
  src/identity/identity_layout.cpp
  src/identity/key_file.cpp
  src/identity/load_identity.cpp
  src/identity/make_identity.cpp
  src/identity/match_identities.cpp

  src/engine/destination.cpp
  src/engine/drone_lines.cpp
  src/engine/engine.cpp
  src/engine/event_limit.cpp
  src/engine/ground_probe.cpp
  src/engine/link.cpp
  src/engine/mailbox.cpp
  src/engine/mirror.cpp
  src/engine/packet_loop.cpp
  src/engine/packet_path.cpp
  src/engine/plaintext_side.cpp
  src/engine/policy_watch.cpp
  src/engine/punctuality.cpp
  src/engine/worker_pool.cpp

  src/control/control_folder.cpp
  src/control/control_server.cpp
  src/control/control_socket.cpp
  src/control/status_text.cpp
)
target_compile_definitions(pqc_tunnel_engine PUBLIC PQC_TUNNEL_VERSION="${PROJECT_VERSION}")
target_link_libraries(pqc_tunnel_engine PUBLIC pqc_tunnel_net)

foreach(library IN ITEMS pqc_tunnel_core pqc_tunnel_net pqc_tunnel_engine)
  target_include_directories(${library} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:include>)
  target_compile_features(${library} PUBLIC cxx_std_20)
  target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:pqc_tunnel_options>)
endforeach()

# Under sanitizers what all include is read once, and sources are compiled several at a time: most of the time goes into
# headers. Builds that users get do neither, so that they tell when a source forgets an include. (The headers for each
# library by itself: the core alone is compiled for fuzzing.)
function(pqc_tunnel_compile_together)
  if(NOT PQC_TUNNEL_SANITIZE)
    return()
  endif()
  foreach(target IN LISTS ARGN)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <chrono> <cstdint> <deque> <functional> <map> <memory> <optional> <set>
      <span> <string> <tl/expected.hpp> <utility> <variant> <vector>)
  endforeach()
endfunction()
pqc_tunnel_compile_together(pqc_tunnel_core pqc_tunnel_net pqc_tunnel_engine)
# Names that other sources of the library use, too, each for itself; whoever sees a redefinition adds a line.
set_source_files_properties(
  src/config/make_config.cpp
  src/config/make_links.cpp
  src/crypto/x25519.cpp
  src/identity/make_identity.cpp
  src/identity/match_identities.cpp
  src/os/replaced_file.cpp
  src/paths/mavlink_statustext.cpp
  src/protocol/delivery_rate.cpp
  src/protocol/link_estimator.cpp
  src/protocol/prekey_pool.cpp
  src/protocol/wire.cpp
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
