# Tests of what needs no ROS; the same list in ROS builds, ROS-free builds and under sanitizers.
find_package(GTest REQUIRED)
include(cmake/test_functions.cmake)

add_library(pqc_tunnel_test_support STATIC
  test/support/deterministic_random.cpp
  test/support/hex.cpp
  test/support/identities.cpp
  test/support/large_stack.cpp
  test/support/nist_random.cpp
  test/support/reference_schedule.cpp
  test/support/vector_file.cpp
  test/support/wired_pair.cpp
  test/support/serial_wire.cpp
  test/support/wired_pair_account.cpp
)
target_include_directories(pqc_tunnel_test_support PUBLIC test)
target_link_libraries(pqc_tunnel_test_support
  PUBLIC pqc_tunnel_core GTest::gtest PRIVATE ${PQC_TUNNEL_SUPPORT_OPTIONS})
pqc_tunnel_compile_together(pqc_tunnel_test_support)

# Helpers that the tests of other packages use, too; a build without tests does not install them.
foreach(helper IN ITEMS
    launch/applications.py launch/graph_client.py launch/tunnel_pair.py launch/user_files.py
    support/application.hpp support/program.hpp support/scratch_dir.hpp)
  get_filename_component(folder ${helper} DIRECTORY)
  install(FILES test/${helper} DESTINATION share/pqc_tunnel/test/${folder})
endforeach()

if(NOT PQC_TUNNEL_SANITIZE)
  # Sanitizers keep terabytes of address space beside what is to be searched.
  pqc_tunnel_add_tests(pqc_tunnel_core test/protocol/test_wiped_memory.cpp)
  # A link is watched for a minute and a half in real time: once is enough.
  pqc_tunnel_add_tests(pqc_tunnel_engine
    test/daemon/test_memory_limits.cpp
    test/daemon/test_set_clock.cpp
    test/engine/test_engine_saturation.cpp
    test/engine/test_wiped_workers.cpp
  )
  add_dependencies(test_memory_limits pqc_tunneld)
  # Preloaded, and a sanitizer wants to come before every other library.
  add_library(set_clock MODULE test/support/set_clock.cpp)
  target_link_libraries(set_clock PRIVATE ${CMAKE_DL_LIBS})
  add_dependencies(test_set_clock set_clock pqc_tunneld)
  target_compile_definitions(test_set_clock PRIVATE SET_CLOCK="$<TARGET_FILE_NAME:set_clock>")
  set_tests_properties(test_engine_saturation PROPERTIES COST 100)
endif()
if(PQC_TUNNEL_CORE_TESTS)
  pqc_tunnel_add_tests(pqc_tunnel_core
    test/base/test_shown_text.cpp
    test/crypto/test_aead.cpp
    test/crypto/test_aead_vectors.cpp
    test/crypto/test_algorithm_resolution.cpp
    test/crypto/test_hkdf.cpp
    test/crypto/test_kem.cpp
    test/crypto/test_nist_known_answers.cpp
    test/crypto/test_post_quantum_vectors.cpp
    test/crypto/test_random.cpp
    test/crypto/test_secret.cpp
    test/crypto/test_self_test.cpp
    test/crypto/test_signature.cpp
    test/crypto/test_suite_registry.cpp
    test/crypto/test_x25519.cpp

    test/paths/test_link_queue.cpp
    test/paths/test_arrival_rate.cpp
    test/paths/test_bundle.cpp
    test/paths/test_candidates.cpp
    test/paths/test_cobs.cpp
    test/paths/test_drop_watch.cpp
    test/paths/test_failover.cpp
    test/paths/test_flow_queue.cpp
    test/paths/test_fragmented_queue.cpp
    test/paths/test_mavlink_class.cpp
    test/paths/test_mavlink_statustext.cpp
    test/paths/test_mavlink_stream.cpp
    test/paths/test_path_health.cpp
    test/paths/test_path_limits.cpp
    test/paths/test_path_set.cpp
    test/paths/test_radio_status.cpp
    test/paths/test_routes.cpp
    test/paths/test_shaper.cpp
    test/paths/test_shaper_random.cpp
    test/paths/test_shared_shaper.cpp
    test/paths/test_two_ends.cpp

    test/protocol/test_age.cpp
    test/protocol/test_backoff.cpp
    test/protocol/test_blackout.cpp
    test/protocol/test_boot_keys.cpp
    test/protocol/test_cause_sentences.cpp
    test/protocol/test_clock_sync.cpp
    test/protocol/test_clones.cpp
    test/protocol/test_control_abuse.cpp
    test/protocol/test_control_frame.cpp
    test/protocol/test_crashes.cpp
    test/protocol/test_datagrams.cpp
    test/protocol/test_delivery_rate.cpp
    test/protocol/test_drone_rekeys.cpp
    test/protocol/test_epoch_keys.cpp
    test/protocol/test_every_suite.cpp
    test/protocol/test_fleet.cpp
    test/protocol/test_fleet_fairness.cpp
    test/protocol/test_flooded_link.cpp
    test/protocol/test_former_keys.cpp
    test/protocol/test_fragments.cpp
    test/protocol/test_freshness.cpp
    test/protocol/test_ground_causes.cpp
    test/protocol/test_ground_exchanges.cpp
    test/protocol/test_ground_prekeys.cpp
    test/protocol/test_ground_rekeys.cpp
    test/protocol/test_ground_sessions.cpp
    test/protocol/test_handshake_jobs.cpp
    test/protocol/test_handshake_load.cpp
    test/protocol/test_handshake_refusals.cpp
    test/protocol/test_half_duplex.cpp
    test/protocol/test_handshake_tampering.cpp
    test/protocol/test_hello_gate.cpp
    test/protocol/test_hostile_member.cpp
    test/protocol/test_insider_rekeys.cpp
    test/protocol/test_key_limits.cpp
    test/protocol/test_key_messages.cpp
    test/protocol/test_key_overlap.cpp
    test/protocol/test_key_renewal.cpp
    test/protocol/test_key_schedule.cpp
    test/protocol/test_key_slots.cpp
    test/protocol/test_leaked_psk.cpp
    test/protocol/test_likely_cause.cpp
    test/protocol/test_link_estimator.cpp
    test/protocol/test_listener.cpp
    test/protocol/test_notice_pacer.cpp
    test/protocol/test_notices.cpp
    test/protocol/test_own_frames.cpp
    test/protocol/test_peer_budget.cpp
    test/protocol/test_peer_clock.cpp
    test/protocol/test_prekey_pool.cpp
    test/protocol/test_queue_delay.cpp
    test/protocol/test_radio_traffic.cpp
    test/protocol/test_reconnect.cpp
    test/protocol/test_reflection.cpp
    test/protocol/test_rekey.cpp
    test/protocol/test_rekey_blame.cpp
    test/protocol/test_rekey_mishaps.cpp
    test/protocol/test_rekey_steps.cpp
    test/protocol/test_repeated_failure.cpp
    test/protocol/test_reassembly.cpp
    test/protocol/test_replay_window.cpp
    test/protocol/test_saturated_link.cpp
    test/protocol/test_saturation.cpp
    test/protocol/test_saturation_steps.cpp
    test/protocol/test_session_attempts.cpp
    test/protocol/test_slow_link.cpp
    test/protocol/test_strangers.cpp
    test/protocol/test_standstill.cpp
    test/protocol/test_stream_beside_data.cpp
    test/protocol/test_stream_limits.cpp
    test/protocol/test_stream_sender.cpp
    test/protocol/test_stream_silences.cpp
    test/protocol/test_stream_times.cpp
    test/protocol/test_streams.cpp
    test/protocol/test_suite_objection.cpp
    test/protocol/test_suite_policy.cpp
    test/protocol/test_thin_link.cpp
    test/protocol/test_tunnel.cpp
    test/protocol/test_wake_ups.cpp
    test/protocol/test_wipes.cpp
    test/protocol/test_wire_format.cpp
  )
  pqc_tunnel_add_tests(pqc_tunnel_engine
    test/config/test_config.cpp
    test/config/test_links.cpp
    test/command/test_pqc.cpp
    test/command/test_pqc_check.cpp
    test/command/test_pqc_completion.cpp
    test/command/test_show_text.cpp
    test/config/test_parameter_file.cpp
    test/control/test_control_socket.cpp
    test/daemon/test_command_line.cpp
    test/daemon/test_stopped_process.cpp
    test/daemon/test_unit.cpp
    test/engine/test_engine.cpp
    test/engine/test_engine_interfaces.cpp
    test/engine/test_engine_links.cpp
    test/engine/test_engine_notices.cpp
    test/engine/test_engine_plaintext.cpp
    test/engine/test_engine_refusals.cpp
    test/engine/test_engine_strangers.cpp
    test/engine/test_event_limit.cpp
    test/engine/test_hello_budget.cpp
    test/engine/test_policy_watch.cpp
    test/engine/test_punctuality.cpp
    test/identity/test_identity_files.cpp
    test/net/test_address.cpp
    test/net/test_datagram_batch.cpp
    test/net/test_mavlink_ports.cpp
    test/net/test_serial_port.cpp
    test/net/test_sockets.cpp
    test/os/test_output_relay.cpp
    test/os/test_process.cpp
    test/os/test_processes.cpp
    test/os/test_replaced_file.cpp
  )
  target_sources(test_show_text PRIVATE src/command/show_text.cpp)
  target_link_libraries(test_show_text PRIVATE yaml-cpp)
  foreach(test IN ITEMS test_command_line test_pqc test_pqc_check
      test_pqc_completion test_stopped_process test_unit)
    add_dependencies(${test} pqc pqc_tunneld)
  endforeach()
  # What has threads, for the thread sanitizer.
  add_custom_target(thread_tests DEPENDS ${PQC_TUNNEL_BUILT_TESTS})
  if(NOT PQC_TUNNEL_ROS)
    set_tests_properties(${PQC_TUNNEL_BUILT_TESTS} PROPERTIES LABELS threads)
  endif()
  # The longest begin first, so that no core waits for one of them at the end.
  set_tests_properties(test_crashes test_rekey_mishaps test_key_limits test_every_suite test_engine_strangers
    test_engine_refusals test_engine PROPERTIES COST 100)
endif()

include(cmake/simulator.cmake)
