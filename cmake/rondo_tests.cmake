# SPDX-License-Identifier: Apache-2.0
# rondo_add_test(<name> FILES ... LINK <target>... [LABELS ...])
#   One GoogleTest executable, registered with CTest as one test per executable (label `unit` by default).
# rondo_add_benchmark(<name> FILES ... LINK <target>...)
#   One Google Benchmark executable, with a short run of it as a smoke test (label `bench`).

find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)

function(rondo_add_test name)
  cmake_parse_arguments(ARG "" "" "FILES;LINK;LABELS" ${ARGN})
  add_executable(${name} ${ARG_FILES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main rondo_warnings rondo_sanitize)
  # A test's own names (samples, short verbs) are those of its file: no unity build. What takes time is in the libraries.
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  set_property(GLOBAL APPEND PROPERTY RONDO_UNIT_TESTS ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}"
    ENVIRONMENT "RONDO_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
endfunction()

function(rondo_add_benchmark name)
  cmake_parse_arguments(ARG "" "" "FILES;LINK" ${ARGN})
  add_executable(${name} ${ARG_FILES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} benchmark::benchmark_main rondo_warnings rondo_sanitize)
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
endfunction()

# rondo_add_mpi_program(<mpi> <source> [<compiler option>...])
#   A test program with that MPI's own compiler wrapper, in the build's folder of this name, <mpi>/<source's stem>.
function(rondo_add_mpi_program mpi source)
  cmake_path(GET source STEM name)
  cmake_path(GET source EXTENSION extension)
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME suite)
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set(program ${CMAKE_CURRENT_BINARY_DIR}/${mpi}/${name})
  set(compiler mpicc.${mpi})
  set(depends -MMD -MF ${program}.d -MT ${program}) # some include another one
  set(depfile DEPFILE ${program}.d)
  if(extension STREQUAL ".cpp")
    set(compiler mpicxx.${mpi} -std=c++17 -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX)
  elseif(extension STREQUAL ".f90")
    set(compiler mpifort.${mpi} -J ${CMAKE_CURRENT_BINARY_DIR}/${mpi}/${name}.modules)
    set(depends "")
    set(depfile "")
  endif()
  add_custom_command(OUTPUT ${program}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/${mpi}/${name}.modules
    COMMAND ${compiler} -O1 -g -Wall -Wextra ${depends} ${source} -o ${program} ${ARGN}
    DEPENDS ${source} ${depfile}
    COMMENT "Building test program ${mpi}/${name}" VERBATIM)
  add_custom_target(${suite}_${mpi}_${name} ALL DEPENDS ${program})
endfunction()
