# Tests of what needs no ROS; the same list in ROS builds, ROS-free builds and under sanitizers.
find_package(GTest REQUIRED)
include(cmake/test_functions.cmake)

add_library(pqc_tunnel_test_support STATIC
  test/support/deterministic_random.cpp
  test/support/hex.cpp
  test/support/identities.cpp
  test/support/large_stack.cpp
  test/support/serial_wire.cpp
  test/support/known_answers/nist_random.cpp
  test/support/known_answers/reference_schedule.cpp
  test/support/known_answers/vector_file.cpp
  test/support/pair/wired_pair.cpp
  test/support/pair/wired_pair_account.cpp
)
target_include_directories(pqc_tunnel_test_support PUBLIC test)
target_link_libraries(pqc_tunnel_test_support
  PUBLIC pqc_tunnel_core GTest::gtest PRIVATE ${PQC_TUNNEL_SUPPORT_OPTIONS})
pqc_tunnel_compile_several(pqc_tunnel_test_support)
pqc_tunnel_compile_together(pqc_tunnel_test_support)

# Helpers that the tests of other packages use, too; a build without tests does not install them.
foreach(helper IN ITEMS
    launch/applications.py launch/graph_client.py launch/tunnel_pair.py launch/user_files.py
    support/application.hpp support/program.hpp support/scratch_dir.hpp)
  get_filename_component(folder ${helper} DIRECTORY)
  install(FILES test/${helper} DESTINATION share/pqc_tunnel/test/${folder})
endforeach()

if(NOT PQC_TUNNEL_TESTS_TOGETHER)
  # Sanitizers and emulators keep terabytes of address space beside what is to be searched.
  pqc_tunnel_add_tests(pqc_tunnel_core test/protocol/session/test_wiped_memory.cpp)
  # A link is watched for a minute and a half in real time: once is enough.
  pqc_tunnel_add_tests(pqc_tunnel_engine
    test/engine/loop/test_engine_saturation.cpp
    test/engine/loop/test_wiped_workers.cpp
    test/daemon/test_memory_limits.cpp
    test/daemon/test_set_clock.cpp
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
  # Names that other tests of the folder use, too, each for itself; whoever sees a redefinition adds a line.
  set_source_files_properties(
    test/crypto/test_hkdf.cpp
    test/crypto/test_kem.cpp
    test/crypto/test_post_quantum_vectors.cpp
    test/crypto/test_signature.cpp
    test/link/mavlink/test_mavlink_stream.cpp
    test/link/estimate/test_queue_delay.cpp
    test/link/estimate/test_saturation_steps.cpp
    test/link/paths/test_path_set.cpp
    test/link/paths/test_routes.cpp
    test/link/paths/test_two_ends.cpp
    test/link/shaping/test_shaper.cpp
    test/protocol/handshake/test_likely_cause.cpp
    test/protocol/handshake/test_prekey_pool.cpp
    test/protocol/rekey/test_rekey_mishaps.cpp
    test/protocol/streams/test_stream_sender.cpp
    test/protocol/streams/test_stream_silences.cpp
    test/protocol/streams/test_stream_times.cpp
    test/protocol/drone/test_drone_rekeys.cpp
    test/protocol/tunnel/test_fleet_fairness.cpp
    test/protocol/tunnel/test_hostile_member.cpp
    test/command/test_doctor.cpp
    test/command/test_measure_echoes.cpp
    test/command/test_show_text.cpp
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  pqc_tunnel_add_tests(pqc_tunnel_core
    test/base/test_shown_text.cpp

    test/crypto/suites/test_suite_registry.cpp

    test/crypto/test_aead.cpp
    test/crypto/test_aead_vectors.cpp
    test/crypto/test_algorithm_resolution.cpp
    test/crypto/test_both_libraries.cpp
    test/crypto/test_components.cpp
    test/crypto/test_hkdf.cpp
    test/crypto/test_kem.cpp
    test/crypto/test_nist_known_answers.cpp
    test/crypto/test_post_quantum_vectors.cpp
    test/crypto/test_random.cpp
    test/crypto/test_secret.cpp
    test/crypto/test_signature.cpp
    test/crypto/test_x25519.cpp

    test/crypto/self_test/test_self_test.cpp

    test/link/framing/test_cobs.cpp

    test/link/mavlink/test_mavlink_class.cpp
    test/link/mavlink/test_mavlink_statustext.cpp
    test/link/mavlink/test_mavlink_stream.cpp
    test/link/mavlink/test_radio_status.cpp

    test/link/estimate/test_arrival_rate.cpp
    test/link/estimate/test_delivery_rate.cpp
    test/link/estimate/test_link_estimator.cpp
    test/link/estimate/test_queue_delay.cpp
    test/link/estimate/test_saturation.cpp
    test/link/estimate/test_saturation_steps.cpp

    test/link/paths/test_candidates.cpp
    test/link/paths/test_failover.cpp
    test/link/paths/test_path_health.cpp
    test/link/paths/test_path_limits.cpp
    test/link/paths/test_path_set.cpp
    test/link/paths/test_routes.cpp
    test/link/paths/test_two_ends.cpp

    test/link/shaping/test_bundle.cpp
    test/link/shaping/test_drop_watch.cpp
    test/link/shaping/test_flow_queue.cpp
    test/link/shaping/test_fragmented_queue.cpp
    test/link/shaping/test_link_queue.cpp
    test/link/shaping/test_shaper.cpp
    test/link/shaping/test_shaper_random.cpp
    test/link/shaping/test_shared_shaper.cpp

    test/protocol/wire/test_control_frame.cpp
    test/protocol/wire/test_key_schedule.cpp
    test/protocol/wire/test_layers.cpp
    test/protocol/wire/test_reflection.cpp
    test/protocol/wire/test_wire_format.cpp

    test/protocol/session/test_age.cpp
    test/protocol/session/test_backoff.cpp
    test/protocol/session/test_clock_sync.cpp
    test/protocol/session/test_epoch_keys.cpp
    test/protocol/session/test_former_keys.cpp
    test/protocol/session/test_freshness.cpp
    test/protocol/session/test_key_index.cpp
    test/protocol/session/test_key_limits.cpp
    test/protocol/session/test_key_overlap.cpp
    test/protocol/session/test_key_slots.cpp
    test/protocol/session/test_peer_clock.cpp
    test/protocol/session/test_replay_window.cpp
    test/protocol/session/test_suite_policy.cpp
    test/protocol/session/test_wipes.cpp

    test/protocol/handshake/test_anchor.cpp
    test/protocol/handshake/test_anchor_faults.cpp
    test/protocol/handshake/test_boot_keys.cpp
    test/protocol/handshake/test_chain.cpp
    test/protocol/handshake/test_cause_sentences.cpp
    test/protocol/handshake/test_every_suite.cpp
    test/protocol/handshake/test_handshake_jobs.cpp
    test/protocol/handshake/test_handshake_load.cpp
    test/protocol/handshake/test_handshake_refusals.cpp
    test/protocol/handshake/test_handshake_tampering.cpp
    test/protocol/handshake/test_hello_gate.cpp
    test/protocol/handshake/test_key_messages.cpp
    test/protocol/handshake/test_leaked_psk.cpp
    test/protocol/handshake/test_likely_cause.cpp
    test/protocol/handshake/test_listener.cpp
    test/protocol/handshake/test_first_suite.cpp
    test/protocol/handshake/test_prekey_pool.cpp
    test/protocol/handshake/test_repeated_failure.cpp
    test/protocol/handshake/test_strangers.cpp
    test/protocol/handshake/test_suite_objection.cpp

    test/protocol/rekey/test_insider_rekeys.cpp
    test/protocol/rekey/test_key_renewal.cpp
    test/protocol/rekey/test_one_time_keys.cpp
    test/protocol/rekey/test_rekey.cpp
    test/protocol/rekey/test_rekey_blame.cpp
    test/protocol/rekey/test_rekey_mishaps.cpp
    test/protocol/rekey/test_rekey_steps.cpp

    test/protocol/streams/test_fragments.cpp
    test/protocol/streams/test_reassembly.cpp
    test/protocol/streams/test_stream_beside_data.cpp
    test/protocol/streams/test_stream_limits.cpp
    test/protocol/streams/test_stream_sender.cpp
    test/protocol/streams/test_stream_silences.cpp
    test/protocol/streams/test_stream_times.cpp
    test/protocol/streams/test_streams.cpp

    test/protocol/peer/test_control_abuse.cpp
    test/protocol/peer/test_datagrams.cpp
    test/protocol/peer/test_echoes.cpp
    test/protocol/peer/test_notice_pacer.cpp
    test/protocol/peer/test_notices.cpp
    test/protocol/peer/test_own_frames.cpp

    test/protocol/drone/test_background_fetches.cpp
    test/protocol/drone/test_drone_rekeys.cpp
    test/protocol/drone/test_reconnect.cpp
    test/protocol/drone/test_session_attempts.cpp

    test/protocol/ground/test_clones.cpp
    test/protocol/ground/test_ground_causes.cpp
    test/protocol/ground/test_ground_exchanges.cpp
    test/protocol/ground/test_ground_prekeys.cpp
    test/protocol/ground/test_ground_rekeys.cpp
    test/protocol/ground/test_changing_fleet.cpp
    test/protocol/ground/test_erasure.cpp
    test/protocol/ground/test_rotation.cpp
    test/protocol/ground/test_ground_sessions.cpp

    test/protocol/tunnel/test_blackout.cpp
    test/protocol/tunnel/test_crashes.cpp
    test/protocol/tunnel/test_fleet.cpp
    test/protocol/tunnel/test_fleet_fairness.cpp
    test/protocol/tunnel/test_flooded_link.cpp
    test/protocol/tunnel/test_half_duplex.cpp
    test/protocol/tunnel/test_hostile_member.cpp
    test/protocol/tunnel/test_outbound.cpp
    test/protocol/tunnel/test_peer_agenda.cpp
    test/protocol/tunnel/test_peer_budget.cpp
    test/protocol/tunnel/test_radio_traffic.cpp
    test/protocol/tunnel/test_saturated_link.cpp
    test/protocol/tunnel/test_slow_link.cpp
    test/protocol/tunnel/test_standstill.cpp
    test/protocol/tunnel/test_thin_link.cpp
    test/protocol/tunnel/test_tunnel.cpp
    test/protocol/tunnel/test_wake_ups.cpp
  )
  pqc_tunnel_add_tests(pqc_tunnel_engine
    test/os/test_output_relay.cpp
    test/os/test_process.cpp
    test/os/test_processes.cpp
    test/os/test_replaced_file.cpp
    test/net/test_address.cpp
    test/net/test_datagram_batch.cpp
    test/net/test_mavlink_ports.cpp
    test/net/test_network_watch.cpp
    test/net/test_serial_port.cpp
    test/net/test_sockets.cpp
    test/config/test_config.cpp
    test/config/test_links.cpp
    test/config/test_parameter_file.cpp
    test/config/test_profiles.cpp
    test/identity/test_anchor_files.cpp
    test/identity/test_identity_files.cpp
    test/engine/sockets/test_engine_interfaces.cpp
    test/engine/sockets/test_engine_links.cpp
    test/engine/sockets/test_engine_plaintext.cpp
    test/engine/sockets/test_peer_sockets.cpp
    test/engine/loop/test_engine.cpp
    test/engine/loop/test_engine_notices.cpp
    test/engine/loop/test_engine_refusals.cpp
    test/engine/loop/test_engine_strangers.cpp
    test/engine/loop/test_event_limit.cpp
    test/engine/loop/test_hello_budget.cpp
    test/engine/loop/test_policy_watch.cpp
    test/engine/loop/test_punctuality.cpp
    test/engine/loop/test_work_ledger.cpp
    test/control/test_control_socket.cpp
    test/daemon/test_command_line.cpp
    test/daemon/test_reload.cpp
    test/daemon/test_stopped_process.cpp
    test/daemon/test_unit.cpp
    test/daemon/test_watchdog.cpp
    test/command/test_doctor.cpp
    test/command/test_measure_echoes.cpp
    test/command/test_pqc.cpp
    test/command/test_pqc_check.cpp
    test/command/test_pqc_completion.cpp
    test/command/test_pqc_deploy.cpp
    test/command/test_pqc_doctor.cpp
    test/command/test_pqc_ping.cpp
    test/command/test_pqc_pair.cpp
    test/command/test_show_text.cpp
  )
  target_sources(${program_of_test_show_text} PRIVATE src/command/show_text.cpp)
  target_link_libraries(${program_of_test_show_text} PRIVATE yaml-cpp)
  target_sources(${program_of_test_doctor} PRIVATE
    src/command/check/check_live.cpp
    src/command/check/check_machine.cpp
    src/command/check/read_machine.cpp
  )
  target_sources(${program_of_test_measure_echoes} PRIVATE
    src/command/measure_echoes.cpp src/command/tunnels.cpp)
  target_link_libraries(${program_of_test_measure_echoes} PRIVATE yaml-cpp)
  target_link_libraries(${program_of_test_pqc} PRIVATE yaml-cpp)
  target_link_libraries(${program_of_test_pqc_ping} PRIVATE yaml-cpp)
  target_link_libraries(${program_of_test_doctor} PRIVATE yaml-cpp)
  target_link_libraries(${program_of_test_pqc_doctor} PRIVATE yaml-cpp)
  foreach(test IN ITEMS test_command_line test_pqc test_pqc_check
      test_pqc_completion test_pqc_deploy test_pqc_doctor test_pqc_pair test_pqc_ping test_reload test_stopped_process test_unit
      test_watchdog)
    add_dependencies(${program_of_${test}} pqc pqc_tunneld)
  endforeach()
  # What has threads, for the thread sanitizer.
  add_custom_target(thread_tests DEPENDS ${PQC_TUNNEL_BUILT_PROGRAMS})
  if(NOT PQC_TUNNEL_ROS)
    set_tests_properties(${PQC_TUNNEL_BUILT_TESTS} PROPERTIES LABELS threads)
  endif()
endif()

# The same tests of what OpenSSL does where libsodium is not fit.
if(PQC_TUNNEL_CORE_TESTS AND PQC_TUNNEL_SODIUM)
  add_executable(test_aead_of_openssl
    test/crypto/test_aead.cpp test/crypto/test_aead_vectors.cpp src/crypto/aead.cpp)
  target_compile_definitions(test_aead_of_openssl PRIVATE PQC_TUNNEL_TEST_VECTORS="${PQC_TUNNEL_VECTORS}")
  target_link_libraries(test_aead_of_openssl PRIVATE
    pqc_tunnel_core pqc_tunnel_test_support pqc_tunnel_test_options GTest::gtest GTest::gtest_main)
  pqc_run_test(test_aead_of_openssl ${PQC_TUNNEL_TEST_RUNS_UNDER})
endif()

# The keys in a file, which no release writes, and the dissector that reads them.
if(PQC_TUNNEL_CORE_TESTS)
  add_executable(test_key_log
    test/protocol/session/test_key_log.cpp
    src/protocol/session/epoch_keys.cpp
    src/protocol/session/key_log.cpp)
  target_compile_definitions(test_key_log PRIVATE
    PQC_TUNNEL_KEY_LOG PQC_TUNNEL_SOURCES="${CMAKE_CURRENT_SOURCE_DIR}")
  target_compile_options(test_key_log PRIVATE -UNDEBUG)
  target_link_libraries(test_key_log PRIVATE
    pqc_tunnel_core pqc_tunnel_test_support pqc_tunnel_test_options GTest::gtest GTest::gtest_main)
  pqc_run_test(test_key_log ${PQC_TUNNEL_TEST_RUNS_UNDER})
  foreach(type IN ITEMS Release RelWithDebInfo MinSizeRel)
    add_test(NAME no_key_log_in_${type} COMMAND ${CMAKE_COMMAND}
      -S ${CMAKE_CURRENT_SOURCE_DIR} -B ${CMAKE_CURRENT_BINARY_DIR}/key_log_${type}
      -DPQC_TUNNEL_KEY_LOG=ON -DCMAKE_BUILD_TYPE=${type} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER})
    set_tests_properties(no_key_log_in_${type} PROPERTIES
      PASS_REGULAR_EXPRESSION "A release writes no keys")
  endforeach()
endif()

include(cmake/simulator.cmake)
