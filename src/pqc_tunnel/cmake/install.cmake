# Components: the programs; files beside them, for people; and what only a compiler needs. A machine without ROS gets
# the last one if it asks for it (setup/deploy.bash).
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
# The exported libraries with their headers, for other packages; found by find_package(pqc_tunnel) with and without ROS.
install(TARGETS pqc_tunnel_core pqc_tunnel_net EXPORT pqc_tunnelTargets ARCHIVE DESTINATION lib)
set(headers ${CMAKE_CURRENT_SOURCE_DIR}/cmake/public_headers.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
file(STRINGS ${headers} headers)
foreach(header IN LISTS headers)
  get_filename_component(room ${header} DIRECTORY)
  install(FILES src/${header} DESTINATION include/pqc_tunnel/pqc_tunnel/${room})
endforeach()
install(FILES cmake/build_settings.cmake DESTINATION share/pqc_tunnel/cmake)
install(EXPORT pqc_tunnelTargets NAMESPACE pqc_tunnel:: DESTINATION share/pqc_tunnel/cmake)
if(NOT PQC_TUNNEL_ROS)
  include(CMakePackageConfigHelpers)
  configure_file(cmake/pqc_tunnel-extras.cmake pqc_tunnelConfig.cmake COPYONLY)
  write_basic_package_version_file(pqc_tunnelConfigVersion.cmake
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion)
  install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/pqc_tunnelConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/pqc_tunnelConfigVersion.cmake
    DESTINATION share/pqc_tunnel/cmake)
endif()

# For `pqc up` and for the start of the machine; systemd finds it if the prefix is /usr or /usr/local.
configure_file(systemd/pqc@.service.in pqc@.service @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pqc@.service DESTINATION lib/systemd/system COMPONENT files)
install(PROGRAMS systemd/pqc-seal DESTINATION bin COMPONENT files)
install(FILES systemd/pqc.sysusers DESTINATION lib/sysusers.d RENAME pqc.conf COMPONENT files)
install(FILES systemd/pqc.sysctl DESTINATION lib/sysctl.d RENAME pqc.conf COMPONENT files)
if(NOT PQC_TUNNEL_ROS)
  install(FILES config/drone.yaml config/gcs.yaml DESTINATION share/pqc_tunnel/config COMPONENT files)
  install(DIRECTORY config/mavlink-router config/nftables config/wireshark DESTINATION share/pqc_tunnel/config COMPONENT files)
  install(FILES cmake/completion.bash DESTINATION share/bash-completion/completions RENAME pqc COMPONENT files)
endif()
