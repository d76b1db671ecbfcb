# The deterministic simulator: a test tool, built with the tests and not installed.
add_library(pqc_tunnel_simulator STATIC
  test/simulator/campaign.cpp
  test/simulator/datagram_witness.cpp
  test/simulator/handshake_witness.cpp
  test/simulator/key_witness.cpp
  test/simulator/schedule.cpp
  test/simulator/weather.cpp
)
target_link_libraries(pqc_tunnel_simulator
  PUBLIC pqc_tunnel_test_support PRIVATE pqc_tunnel_test_options)

add_executable(pqc_simulate test/simulator/pqc_simulate.cpp test/simulator/mistakes.cpp)
target_link_libraries(pqc_simulate PRIVATE pqc_tunnel_simulator pqc_tunnel_test_options)

set(schedules 150)
if(PQC_TUNNEL_SANITIZE)
  set(schedules 20)
endif()
pqc_tunnel_add_tests(pqc_tunnel_simulator test/simulator/test_simulated_schedules.cpp)
target_compile_definitions(test_simulated_schedules PRIVATE
  PQC_TUNNEL_SIMULATED_SCHEDULES=${schedules}u)

if(PQC_TUNNEL_SANITIZE)
  return()  # mistakes are found without its help
endif()

# Those sources of the protocol that mistakes are planted in, a second time and with them. As objects they come before
# the library's.
add_library(pqc_tunnel_mistaken OBJECT
  src/protocol/drone_end.cpp
  src/protocol/drone_handshakes.cpp
  src/protocol/gcs_handshakes.cpp
  src/protocol/handshake_client.cpp
  src/protocol/hello_pool.cpp
  src/protocol/key_slots.cpp
  src/protocol/peer.cpp
  src/protocol/rekey.cpp
  src/protocol/epoch_keys.cpp
  test/simulator/mistakes.cpp
)
target_compile_definitions(pqc_tunnel_mistaken PRIVATE PQC_TUNNEL_PLANTED_MISTAKES)
target_link_libraries(pqc_tunnel_mistaken
  PUBLIC pqc_tunnel_test_support PRIVATE pqc_tunnel_test_options)
add_executable(pqc_simulate_mistakes test/simulator/pqc_simulate.cpp)
target_link_libraries(pqc_simulate_mistakes
  PRIVATE pqc_tunnel_mistaken pqc_tunnel_simulator pqc_tunnel_test_options)
pqc_tunnel_add_tests("pqc_tunnel_mistaken;pqc_tunnel_simulator"
  test/simulator/test_planted_mistakes.cpp)
