# Installs the library with its headers, the package that find_package(warpath) finds, the program
# and the licence.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/warpath)

install(TARGETS warpath EXPORT warpath-targets FILE_SET HEADERS)
install(EXPORT warpath-targets NAMESPACE warpath:: DESTINATION ${package_folder})
if(WARPATH_PROGRAM)
  install(TARGETS warpath_cli)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/warpath-config.cmake.in warpath-config.cmake
  INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(warpath-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES cmake/FindISAL.cmake ${PROJECT_BINARY_DIR}/warpath-config.cmake
  ${PROJECT_BINARY_DIR}/warpath-config-version.cmake DESTINATION ${package_folder})
