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
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}"
    ENVIRONMENT "RONDO_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
endfunction()

function(rondo_add_benchmark name)
  cmake_parse_arguments(ARG "" "" "FILES;LINK" ${ARGN})
  add_executable(${name} ${ARG_FILES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} benchmark::benchmark_main rondo_warnings rondo_sanitize)
endfunction()
