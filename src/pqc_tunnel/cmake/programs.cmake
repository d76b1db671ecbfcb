# The programs of machines with and without ROS.
add_executable(pqc_exposure_check src/daemon/pqc_exposure_check.cpp)
add_executable(pqc_identity src/identity/pqc_identity.cpp)
add_executable(pqc_tunneld
  src/daemon/control_socket.cpp
  src/daemon/daemon_shell.cpp
  src/daemon/parameter_listing.cpp
  src/daemon/pqc_tunneld.cpp
  src/daemon/status_text.cpp
)
foreach(program IN ITEMS pqc_exposure_check pqc_identity pqc_tunneld)
  target_link_libraries(${program} PRIVATE pqc_tunnel_engine pqc_tunnel_options)
  if(PQC_TUNNEL_ROS)
    install(TARGETS ${program} DESTINATION lib/${PROJECT_NAME})
  endif()
  install(TARGETS ${program} DESTINATION bin)
endforeach()
