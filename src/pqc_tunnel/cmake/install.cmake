# The exported libraries with their headers, for pqc_tools; found by find_package(pqc_tunnel) with and without ROS.
install(TARGETS pqc_tunnel_core pqc_tunnel_net EXPORT pqc_tunnelTargets ARCHIVE DESTINATION lib)
install(DIRECTORY include/ DESTINATION include)
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
