# SPDX-License-Identifier: Apache-2.0
# rondo_install_library(FOLDERS <folder>... MODULES <pkg-config module>... PACKAGES <package>:<target>...)
#   Installs the C++ library, as the component `dev`: include/rondo/rondo.hpp with all that it includes, the folders'
#   libraries joined into librondo.a, a CMake package and a pkg-config file. The joining happens while installing, so that
#   builds do not pay for it.

# Headers that a header includes, itself first.
function(rondo_header_closure variable header)
  set(found "")
  set(open ${header})
  while(open)
    list(POP_FRONT open next)
    if(next IN_LIST found)
      continue()
    endif()
    list(APPEND found ${next})
    file(STRINGS ${PROJECT_SOURCE_DIR}/include/${next} lines REGEX "^#include \"rondo/")
    foreach(line ${lines})
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
      list(APPEND open ${included})
    endforeach()
  endwhile()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

function(rondo_install_library)
  cmake_parse_arguments(ARG "" "" "FOLDERS;MODULES;PACKAGES" ${ARGN})
  rondo_header_closure(headers rondo/rondo.hpp)
  foreach(header ${headers})
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${PROJECT_SOURCE_DIR}/include/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT dev)
  endforeach()

  set(script "CREATE librondo.a\n")
  foreach(folder ${ARG_FOLDERS})
    string(APPEND script "ADDLIB $<TARGET_FILE:rondo_${folder}>\n")
  endforeach()
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/packaging/librondo.mri CONTENT "${script}SAVE\nEND\n")
  # Made where it is installed: a build may be installed to several folders at once.
  install(CODE "set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
  file(MAKE_DIRECTORY \"\${folder}\")
  execute_process(COMMAND \"${CMAKE_AR}\" -M INPUT_FILE \"${PROJECT_BINARY_DIR}/packaging/librondo.mri\"
    WORKING_DIRECTORY \"\${folder}\" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-debug librondo.a WORKING_DIRECTORY \"\${folder}\" COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/librondo.a\")"
    COMPONENT dev)

  set(RONDO_MODULES ${ARG_MODULES})
  set(find_packages "")
  set(targets "")
  set(libraries "")
  foreach(pair ${ARG_PACKAGES})
    string(REGEX MATCH "^([^:]+):(.+)$" pair "${pair}")
    string(APPEND find_packages "find_dependency(${CMAKE_MATCH_1})\n")
    string(APPEND targets ";${CMAKE_MATCH_2}")
    if(CMAKE_MATCH_1 STREQUAL "TBB")
      string(APPEND libraries " -ltbb")
    endif()
  endforeach()
  list(JOIN ARG_MODULES " " modules)
  include(CMakePackageConfigHelpers)
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rondo)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/packaging/library/rondoConfig.cmake.in
    ${PROJECT_BINARY_DIR}/packaging/rondoConfig.cmake INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/packaging/rondoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/packaging/rondoConfig.cmake ${PROJECT_BINARY_DIR}/packaging/rondoConfigVersion.cmake
    DESTINATION ${package_dir} COMPONENT dev)
  configure_file(${PROJECT_SOURCE_DIR}/packaging/library/rondo.pc.in ${PROJECT_BINARY_DIR}/packaging/rondo.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/packaging/rondo.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endfunction()
