# What loads the tunnel and counts: pqc_blaster for its users' part, pqc_flood for strangers'.
add_library(pqc_tunnel_blaster STATIC
  src/blaster/blaster.cpp
  src/blaster/blaster_report.cpp
  src/blaster/flood.cpp
  src/blaster/flow.cpp
  src/blaster/junk_datagrams.cpp
  src/blaster/numbered_datagram.cpp
  src/blaster/stamped_receiver.cpp
  src/blaster/stranger_connections.cpp
)
target_link_libraries(pqc_tunnel_blaster PUBLIC pqc_tunnel_io PRIVATE pqc_tunnel_options)

list(APPEND PQC_TUNNEL_CLI_TOOLS
  pqc_blaster:src/cli/pqc_blaster.cpp,src/cli/arguments.cpp:pqc_tunnel_blaster
  pqc_flood:src/cli/pqc_flood.cpp,src/cli/arguments.cpp:pqc_tunnel_blaster
)
set(PQC_TUNNEL_BLASTER_TESTS
  test/blaster/test_flood.cpp
  test/blaster/test_flow.cpp
  test/blaster/test_junk_datagrams.cpp
  test/blaster/test_numbered_datagram.cpp
  test/blaster/test_send_schedule.cpp
)
