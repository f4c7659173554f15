# SPDX-License-Identifier: Apache-2.0
# rondo_add_library(<folder> SOURCES ... [DEPENDS <folder>...] [LINK <target>...])
#   Makes the static library rondo_<folder>. DEPENDS names folders further left in the data's way.
#   LINK names third-party targets; they stay private to the folder.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

add_library(rondo_warnings INTERFACE)
target_compile_options(rondo_warnings INTERFACE -Wall -Wextra -Wpedantic -Wno-unused-parameter
  $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage> # in a unity build every source is an included file, of which GCC fears that others include it too
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> # g++ 12 warns of its own std::string (GCC bug 105651)
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> # g++ 12 at -O3 warns of its own std::vector in returned optionals (GCC bug 105562)
)
# Warnings are errors where GCC builds without sanitizers: clang is only there to find errors at run time, and what
# sanitizers put into the code hides from GCC what cannot be.
if(RONDO_DEVELOPER_MODE AND NOT RONDO_SANITIZE)
  target_compile_options(rondo_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Werror>)
endif()

# g++ looks through all that it holds for garbage whenever that has doubled, from 256 MB on, which takes 2 to 5 % of the time of
# the largest batches of sources. Where three compilers at once have room for it (1.6 GB each), it begins later.
cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY) # MiB
if(memory GREATER 7000)
  add_compile_options($<$<AND:$<CONFIG:Release,RelWithDebInfo>,$<COMPILE_LANG_AND_ID:CXX,GNU>>:--param=ggc-min-heapsize=700000>) # kB
endif()

add_library(rondo_sanitize INTERFACE)
if(RONDO_SANITIZE)
  # The first finding ends the program: without the code that goes on after one, clang takes a tenth less time.
  target_compile_options(rondo_sanitize INTERFACE -fsanitize=${RONDO_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    $<$<BOOL:${RONDO_FUZZ}>:-fsanitize=fuzzer-no-link>)
  target_link_options(rondo_sanitize INTERFACE -fsanitize=${RONDO_SANITIZE})
endif()

function(rondo_add_library folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_library(rondo_${folder} STATIC ${ARG_SOURCES})
  target_include_directories(rondo_${folder}
    PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
  foreach(left ${ARG_DEPENDS})
    target_link_libraries(rondo_${folder} PUBLIC rondo_${left})
  endforeach()
  target_link_libraries(rondo_${folder} PRIVATE ${ARG_LINK} rondo_warnings rondo_sanitize)
endfunction()

# Of what is optimised at all (-O2: release, bench), not everything needs to be. dev is at -Og throughout: a build of it is
# compiled more often than it runs for long.
set(RONDO_IS_OPTIMISED OFF)
if(CMAKE_BUILD_TYPE)
  string(TOUPPER ${CMAKE_BUILD_TYPE} type)
  if(CMAKE_CXX_FLAGS_${type} MATCHES "-O[23]")
    set(RONDO_IS_OPTIMISED ON)
  endif()
endif()

# -O2 goes without passes of g++ that take a sixth of the compiler's time for templates as ours and that our code wins nothing by:
# it walks graphs, lists and maps, and has few loops over numbers.
set(RONDO_PLAIN_O2 -fno-code-hoisting -fno-gcse -fno-ipa-cp -fno-ipa-icf -fno-ipa-sra -fno-schedule-insns2 -fno-store-merging
  -fno-tree-pre -fno-tree-slp-vectorize -fno-tree-switch-conversion -fno-tree-tail-merge -fno-tree-vectorize -fno-tree-vrp)
list(TRANSFORM RONDO_PLAIN_O2 REPLACE "(.+)" "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:\\1>")
if(RONDO_IS_OPTIMISED)
  add_compile_options(${RONDO_PLAIN_O2})
endif()

# rondo_optimise_less(<target>): texts and code that runs once a command: -O1 takes a quarter less time to compile, and
# nobody would notice the rest.
function(rondo_optimise_less target)
  if(RONDO_IS_OPTIMISED)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# rondo_optimise_least(<target>): options, texts and what they start, which decide nothing about the time of a command that
# takes long: -Og takes a quarter less again. With sanitizers clang takes a third of the time for -O0, and what it checks is the same.
function(rondo_optimise_least target)
  if(RONDO_IS_OPTIMISED)
    target_compile_options(${target} PRIVATE -Og)
  elseif(RONDO_SANITIZE AND NOT RONDO_FUZZ)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# rondo_optimise_for_tests(<target>): in dev, what tests run for so long that they win back more than compiling takes longer.
function(rondo_optimise_for_tests target)
  if(NOT RONDO_IS_OPTIMISED AND NOT RONDO_SANITIZE AND CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
    target_compile_options(${target} PRIVATE -O2 ${RONDO_PLAIN_O2})
  endif()
endfunction()

# rondo_add_door(<folder> <name> <file>...): makes generated/<folder>/door.hpp, in which <name> is what a module that is loaded
# calls the one function that it exports: another name for other contents of these files, whose types cross it. The target
# rondo_<folder>_door stands before whoever includes it.
function(rondo_add_door folder name)
  set(door ${PROJECT_BINARY_DIR}/generated/${folder}/door.hpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/write_door.cmake)
  list(JOIN ARGN "," files)
  add_custom_command(OUTPUT ${door}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DFILES=${files} -DOUTPUT=${door} -P ${script}
    DEPENDS ${ARGN} ${script} VERBATIM COMMENT "The name of the door of ${folder}'s module")
  add_custom_target(rondo_${folder}_door DEPENDS ${door})
endfunction()
