# The programs of machines with and without ROS.
add_executable(pqc
  src/command/check/check.cpp
  src/command/check/check_live.cpp
  src/command/check/check_machine.cpp
  src/command/check/check_identity.cpp
  src/command/check/check_plaintext.cpp
  src/command/check/check_sockets.cpp
  src/command/check/compare_ends.cpp
  src/command/check/doctor.cpp
  src/command/check/end.cpp
  src/command/check/read_machine.cpp
  src/command/completion.cpp
  src/command/identity.cpp
  src/command/deploy.cpp
  src/command/pair.cpp
  src/command/parameters.cpp
  src/command/measure_echoes.cpp
  src/command/ping.cpp
  src/command/pqc.cpp
  src/command/rekey.cpp
  src/command/show.cpp
  src/command/show_text.cpp
  src/command/subcommands.cpp
  src/command/subprocess.cpp
  src/command/suites.cpp
  src/command/terminal.cpp
  src/command/tunnels.cpp
  src/command/up_down.cpp
)
target_link_libraries(pqc PRIVATE yaml-cpp CLI11::CLI11)
# Without it pqc pair shows its code as text only.
find_library(PQC_TUNNEL_QRENCODE_LIBRARY qrencode DOC "libqrencode; Debian: libqrencode-dev")
if(PQC_TUNNEL_QRENCODE_LIBRARY)
  target_compile_definitions(pqc PRIVATE PQC_TUNNEL_QRENCODE)
  target_link_libraries(pqc PRIVATE "${PQC_TUNNEL_QRENCODE_LIBRARY}")
endif()
pqc_tunnel_compile_together(pqc)
add_executable(pqc_tunneld src/daemon/daemon_shell.cpp src/daemon/pqc_tunneld.cpp)
# A workspace may have liboqs in another folder, and so may the machine; the one built for machines without ROS is beside the
# programs, or in the prefix of its own that the Debian package gives it.
set(link_path ON)
if(NOT PQC_TUNNEL_ROS)
  set(link_path "${LIBOQS_VENDOR_INSTALLED}")
endif()
foreach(program IN ITEMS pqc pqc_tunneld)
  target_link_libraries(${program} PRIVATE pqc_tunnel_engine pqc_tunnel_program_options)
  # Services have no LD_LIBRARY_PATH to a liboqs beside them.
  set_target_properties(${program} PROPERTIES
    INSTALL_RPATH "$ORIGIN/../lib;$ORIGIN/../lib/pqc-mav/lib" INSTALL_RPATH_USE_LINK_PATH "${link_path}")
  if(PQC_TUNNEL_ROS)
    install(TARGETS ${program} DESTINATION lib/${PROJECT_NAME})
  endif()
  install(TARGETS ${program} DESTINATION bin COMPONENT programs)
endforeach()
