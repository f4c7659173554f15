# SPDX-License-Identifier: Apache-2.0
# rondo_add_test(<name> FILES ... LINK <target>... [LABELS ...])
#   One GoogleTest executable, registered with CTest as one test per executable (label `unit` by default).
# rondo_add_benchmark(<name> FILES ... LINK <target>...)
#   One Google Benchmark executable.
# rondo_test_on_one_node(<name>...)
#   Tests in which MPICH's ranks know that they share a node and its memory (rondo_test_environment.cmake).
# rondo_skip_tests(<why> <name>...)
#   Tests that this build cannot have, as a library or tool is missing: ctest lists them as skipped, and says why with -V.

find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)

# Tests and benchmarks are 50 programs: lld, where it is installed, and gold, which Debian's binutils have, take a fifth and half
# of the time of GNU ld. What is installed is linked as users have it.
find_program(RONDO_LINKER NAMES ld.lld ld.gold)
if(RONDO_LINKER)
  cmake_path(GET RONDO_LINKER EXTENSION LAST_ONLY linker)
  string(REPLACE "." "-fuse-ld=" RONDO_LINK_OF_TESTS ${linker})
endif()

# What tests are compiled with: all alike, since they share precompiled headers. What takes time is in the libraries, so
# little is optimised here. Six sources at once take 0.55 of the time that they take apart (sources of one executable give
# their own names, samples and short verbs, different ones). More at once take less still, but as long whenever one of them
# is changed: they are compiled so in a first build, as libraries are (./test).
if(CMAKE_UNITY_BUILD_BATCH_SIZE GREATER 20)
  set(RONDO_TESTS_AT_ONCE ${CMAKE_UNITY_BUILD_BATCH_SIZE})
else()
  set(RONDO_TESTS_AT_ONCE 6)
endif()

function(rondo_test_settings target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(${target} PRIVATE GTest::gmock rondo_warnings rondo_sanitize)
  target_link_options(${target} PRIVATE ${RONDO_LINK_OF_TESTS})
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${RONDO_TESTS_AT_ONCE} POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-Og>
    $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>) # lets ccache keep what is compiled with precompiled headers
endfunction()

# GoogleTest's headers take half of the time that a test takes to compile: they are compiled once.
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/generated/test_headers.cpp CONTENT "int main() {}\n")
add_executable(rondo_test_headers EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/generated/test_headers.cpp)
rondo_test_settings(rondo_test_headers)
target_precompile_headers(rondo_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>)

# Sources of tests/ that tests of several folders have are compiled once, those that are of one kind and need the same libraries
# together: most of the time of each goes into the headers.
set(RONDO_TEST_KINDS archive_mutator,archive_sections,open_archive corpus,families,graphs
  documented_patterns,ngram_detection events,spmd,stamp_sums message_simulator,simulated_calls nest_text,streams)

# ${variable} gets the objects of such sources in place of them.
function(rondo_share_test_sources variable link)
  set(files "")
  foreach(file ${ARGN})
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(IS_PREFIX CMAKE_CURRENT_SOURCE_DIR ${path} is_own)
    if(is_own OR NOT path MATCHES "/tests/(support|topology)/")
      list(APPEND files ${file})
      continue()
    endif()
    cmake_path(GET path STEM name)
    cmake_path(GET path PARENT_PATH folder)
    set(names ${name})
    foreach(kind ${RONDO_TEST_KINDS})
      string(REPLACE "," ";" of_kind ${kind})
      if(name IN_LIST of_kind)
        set(names ${of_kind})
      endif()
    endforeach()
    list(GET names 0 first)
    if(NOT TARGET rondo_tests_${first})
      list(TRANSFORM names REPLACE "(.+)" "${folder}/\\1.cpp" OUTPUT_VARIABLE sources)
      add_library(rondo_tests_${first} OBJECT ${sources})
      rondo_test_settings(rondo_tests_${first})
      target_link_libraries(rondo_tests_${first} PRIVATE ${link})
      target_precompile_headers(rondo_tests_${first} REUSE_FROM rondo_test_headers)
    endif()
    list(APPEND files $<TARGET_OBJECTS:rondo_tests_${first}>)
  endforeach()
  list(REMOVE_DUPLICATES files)
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

function(rondo_add_test name)
  cmake_parse_arguments(ARG "" "" "FILES;LINK;LABELS" ${ARGN})
  rondo_share_test_sources(files "${ARG_LINK}" ${ARG_FILES})
  add_executable(${name} ${files})
  rondo_test_settings(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main)
  target_precompile_headers(${name} REUSE_FROM rondo_test_headers)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  set_property(GLOBAL APPEND PROPERTY RONDO_UNIT_TESTS ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}"
    ENVIRONMENT "RONDO_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
endfunction()

function(rondo_test_on_one_node)
  set_tests_properties(${ARGN} PROPERTIES ENVIRONMENT_MODIFICATION MPIR_CVAR_NOLOCAL=unset:)
endfunction()

function(rondo_skip_tests why)
  foreach(name IN LISTS ARGN)
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${why}")
    set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: ")
  endforeach()
endfunction()

function(rondo_add_benchmark name)
  cmake_parse_arguments(ARG "" "" "FILES;LINK" ${ARGN})
  rondo_share_test_sources(files "${ARG_LINK}" ${ARG_FILES})
  add_executable(${name} ${files})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} benchmark::benchmark_main rondo_warnings rondo_sanitize)
  target_link_options(${name} PRIVATE ${RONDO_LINK_OF_TESTS})
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
