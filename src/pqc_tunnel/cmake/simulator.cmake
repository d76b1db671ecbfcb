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
