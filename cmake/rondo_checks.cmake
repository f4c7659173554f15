# SPDX-License-Identifier: Apache-2.0
# rondo_add_checks()
#   Registers the rules of the tree as CTest tests with the label `unit`: check.layers, check.headers, check.samples,
#   check.docs, check.words, check.format, check.mpi_calls, check.recorded_calls, check.mpi_table, and check.rules, which shows that each of them can fail.

find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)

function(rondo_add_checks)
  set(tools ${PROJECT_SOURCE_DIR}/tools)
  foreach(check layers headers samples docs words format)
    add_test(NAME check.${check} COMMAND ${Python3_EXECUTABLE} ${tools}/check_${check}.py ${PROJECT_SOURCE_DIR})
    set_tests_properties(check.${check} PROPERTIES LABELS unit TIMEOUT 600)
  endforeach()
  set_tests_properties(check.format PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped:")
  add_test(NAME check.mpi_calls COMMAND ${Python3_EXECUTABLE} ${tools}/check_mpi_calls.py ${PROJECT_SOURCE_DIR})
  add_test(NAME check.recorded_calls COMMAND ${Python3_EXECUTABLE} ${tools}/make_recorded_calls.py --check)
  add_test(NAME check.mpi_table COMMAND ${Python3_EXECUTABLE} ${tools}/mpi_table_test.py)
  set_tests_properties(check.mpi_calls check.recorded_calls check.mpi_table PROPERTIES LABELS unit TIMEOUT 600)
  add_test(NAME check.rules COMMAND ${Python3_EXECUTABLE} ${tools}/check_test.py)
  set_tests_properties(check.rules PROPERTIES LABELS unit TIMEOUT 600)
endfunction()
