# The libraries, one file list per room of src/. Each may use those above it, never one below; lint checks it.

# Cryptography and protocol: no ROS, no sockets, no clock.
add_library(pqc_tunnel_core STATIC
  src/base/contract.cpp
  src/base/nearest_name.cpp
  src/base/shown_text.cpp

  src/crypto/suites/algorithm_table.cpp
  src/crypto/suites/algorithms.cpp
  src/crypto/suites/suite.cpp

  src/crypto/aead.cpp
  src/crypto/algorithm_resolution.cpp
  src/crypto/ascon.cpp
  src/crypto/components.cpp
  src/crypto/hkdf.cpp
  src/crypto/kem.cpp
  src/crypto/openssl_primitives.cpp
  src/crypto/oqs_random.cpp
  src/crypto/primitives.cpp
  src/crypto/random.cpp
  src/crypto/secret.cpp
  src/crypto/signature.cpp
  src/crypto/x25519.cpp

  src/crypto/self_test/self_test.cpp
  src/crypto/self_test/signature_self_test.cpp

  src/link/framing/cobs.cpp
  src/link/framing/fragment.cpp

  src/link/mavlink/mavlink_class.cpp
  src/link/mavlink/mavlink_frame.cpp
  src/link/mavlink/mavlink_statustext.cpp
  src/link/mavlink/mavlink_stream.cpp
  src/link/mavlink/radio_status.cpp
  src/link/mavlink/traffic_class.cpp

  src/link/estimate/arrival_rate.cpp
  src/link/estimate/delivery_rate.cpp
  src/link/estimate/link_estimator.cpp
  src/link/estimate/queue_delay.cpp
  src/link/estimate/saturation.cpp

  src/link/paths/candidates.cpp
  src/link/paths/path_health.cpp
  src/link/paths/path_report.cpp
  src/link/paths/path_set.cpp

  src/link/shaping/bundle.cpp
  src/link/shaping/drop_watch.cpp
  src/link/shaping/flow_queue.cpp
  src/link/shaping/link_queue.cpp
  src/link/shaping/shaper.cpp
  src/link/shaping/shared_shaper.cpp

  src/protocol/wire/control_frame.cpp
  src/protocol/wire/key_schedule.cpp
  src/protocol/wire/layers.cpp
  src/protocol/wire/wire.cpp

  src/protocol/session/clock_sync.cpp
  src/protocol/session/epoch_keys.cpp
  src/protocol/session/event.cpp
  src/protocol/session/key_slots.cpp
  src/protocol/session/rate_search.cpp
  src/protocol/session/replay_window.cpp
  src/protocol/session/settings.cpp
  src/protocol/session/snapshot.cpp

  src/protocol/handshake/handshake_crypto.cpp
  src/protocol/handshake/hello_gate.cpp
  src/protocol/handshake/hello_messages.cpp
  src/protocol/handshake/key_messages.cpp
  src/protocol/handshake/likely_cause.cpp
  src/protocol/handshake/first_suite.cpp
  src/protocol/drone/fetch_costs.cpp
  src/protocol/handshake/prekey_pool.cpp
  src/protocol/handshake/repeated_failure.cpp
  src/protocol/handshake/suite_objection.cpp

  src/protocol/rekey/ratchet.cpp
  src/protocol/rekey/rekey.cpp

  src/protocol/streams/reassembly.cpp
  src/protocol/streams/stream_receiver.cpp
  src/protocol/streams/stream_sender.cpp

  src/protocol/peer/boot_channel.cpp
  src/protocol/peer/notice_pacer.cpp
  src/protocol/peer/output.cpp
  src/protocol/peer/peer.cpp
  src/protocol/peer/peer_fragments.cpp
  src/protocol/peer/peer_keys.cpp
  src/protocol/peer/peer_link.cpp
  src/protocol/peer/peer_receiving.cpp
  src/protocol/peer/peer_sending.cpp
  src/protocol/peer/peer_streams.cpp
  src/protocol/peer/policy_notice.cpp

  src/protocol/drone/drone_end.cpp
  src/protocol/drone/drone_erasure.cpp
  src/protocol/drone/drone_hellos.cpp
  src/protocol/drone/drone_prekeys.cpp
  src/protocol/drone/drone_rekeys.cpp
  src/protocol/drone/drone_sessions.cpp
  src/protocol/drone/drone_waiting_rekey.cpp

  src/protocol/ground/gcs_end.cpp
  src/protocol/ground/prekey_supply.cpp
  src/protocol/ground/served_context.cpp
  src/protocol/ground/served_drone.cpp
  src/protocol/ground/served_erasure.cpp
  src/protocol/ground/served_rekeys.cpp
  src/protocol/ground/served_reports.cpp
  src/protocol/ground/served_session.cpp

  src/protocol/tunnel/outbound.cpp
  src/protocol/tunnel/tunnel.cpp
)
if(PQC_TUNNEL_KEY_LOG)
  target_sources(pqc_tunnel_core PRIVATE src/protocol/session/key_log.cpp)
  target_compile_definitions(pqc_tunnel_core PRIVATE PQC_TUNNEL_KEY_LOG)
endif()
target_compile_definitions(pqc_tunnel_core PUBLIC PQC_TUNNEL_VERSION="${PROJECT_VERSION}")
target_link_libraries(pqc_tunnel_core PUBLIC OpenSSL::Crypto OQS::oqs)
if(PQC_TUNNEL_SODIUM)
  target_compile_definitions(pqc_tunnel_core PRIVATE PQC_TUNNEL_SODIUM)
  target_link_libraries(pqc_tunnel_core PRIVATE ${PQC_TUNNEL_SODIUM_LIBRARY})
endif()

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
  src/net/network_watch.cpp
  src/net/poller.cpp
  src/net/resolver.cpp
  src/net/serial_port.cpp
  src/net/sockets.cpp

  src/command_line/command_line.cpp
  src/command_line/words.cpp

  src/config/parameter_file.cpp
)
target_link_libraries(pqc_tunnel_net PUBLIC pqc_tunnel_core Threads::Threads PRIVATE yaml-cpp $<BUILD_INTERFACE:CLI11::CLI11>)

# One end of the tunnel: its parameters, its keys, its threads.
add_library(pqc_tunnel_engine STATIC
  src/config/make_config.cpp
  src/config/make_links.cpp
  src/config/parameter_check.cpp
  src/config/parameter_table.cpp
  src/config/profiles.cpp

  src/identity/anchor_files.cpp
  src/identity/describe_identity.cpp
  src/identity/drone_folder.cpp
  src/identity/identity_layout.cpp
  src/identity/key_file.cpp
  src/identity/load_identity.cpp
  src/identity/make_anchor.cpp
  src/identity/make_identity.cpp
  src/identity/make_keys.cpp
  src/identity/match_identities.cpp
  src/identity/pairing.cpp
  src/identity/renew_identity.cpp
  src/identity/workshop.cpp

  src/engine/sockets/destination.cpp
  src/engine/sockets/ground_probe.cpp
  src/engine/sockets/link.cpp
  src/engine/sockets/mirror.cpp
  src/engine/sockets/peer_sockets.cpp
  src/engine/sockets/plaintext_side.cpp

  src/engine/loop/drone_lines.cpp
  src/engine/loop/engine.cpp
  src/engine/loop/event_limit.cpp
  src/engine/loop/mailbox.cpp
  src/engine/loop/packet_looks.cpp
  src/engine/loop/packet_loop.cpp
  src/engine/loop/packet_path.cpp
  src/engine/loop/policy_watch.cpp
  src/engine/loop/punctuality.cpp
  src/engine/loop/served_fleet.cpp
  src/engine/loop/worker_pool.cpp

  src/control/control_folder.cpp
  src/control/control_server.cpp
  src/control/control_socket.cpp
  src/control/status_text.cpp
)
target_link_libraries(pqc_tunnel_engine PUBLIC pqc_tunnel_net)

foreach(library IN ITEMS pqc_tunnel_core pqc_tunnel_net pqc_tunnel_engine)
  target_include_directories(${library} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:include/pqc_tunnel>
    $<INSTALL_INTERFACE:include/pqc_tunnel/pqc_tunnel>)  # for what the headers themselves include
  target_compile_features(${library} PUBLIC cxx_std_20)
  target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:pqc_tunnel_options>)
  # Stubs of the linker and padding cost look-ups when caches are cold (docs/decisions/0101).
  target_compile_options(${library} PRIVATE -fno-plt -falign-functions=1 -falign-loops=1)
endforeach()

# What all include is read once: that takes a third off the time to compile. (The headers for each library by itself:
# the core alone is compiled for fuzzing.) Under sanitizers, and where only tests use them, sources are compiled several
# at a time, too. What users get is not, so that the compiler can tell of a local name that is that of a function.
function(pqc_tunnel_compile_several)
  set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
endfunction()
function(pqc_tunnel_compile_together)
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <chrono> <cstdint> <deque> <functional> <map> <memory> <optional> <set>
      <span> <string> <tl/expected.hpp> <utility> <variant> <vector>)
  endforeach()
  if(PQC_TUNNEL_SANITIZE OR CMAKE_CROSSCOMPILING_EMULATOR)
    pqc_tunnel_compile_several(${ARGN})
  endif()
endfunction()
pqc_tunnel_compile_together(pqc_tunnel_core pqc_tunnel_net pqc_tunnel_engine)
if(NOT PQC_TUNNEL_SANITIZE)
  set_source_files_properties(src/command_line/command_line.cpp PROPERTIES COMPILE_OPTIONS -Og)  # as programs
endif()
# Names that other sources of the library use, too, each for itself; whoever sees a redefinition adds a line.
set_source_files_properties(
  src/crypto/aead.cpp  # a test links another one
  src/protocol/session/epoch_keys.cpp  # as well
  src/crypto/x25519.cpp
  src/link/mavlink/mavlink_statustext.cpp
  src/link/estimate/delivery_rate.cpp
  src/link/estimate/link_estimator.cpp
  src/protocol/wire/wire.cpp
  src/protocol/handshake/prekey_pool.cpp
  src/os/replaced_file.cpp
  src/config/make_config.cpp
  src/config/make_links.cpp
  src/identity/anchor_files.cpp
  src/identity/make_anchor.cpp
  src/identity/make_identity.cpp
  src/identity/match_identities.cpp
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
