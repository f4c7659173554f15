# SPDX-License-Identifier: Apache-2.0
# Third-party libraries, all from Debian 12's packages (docs/architecture.md lists them).
find_package(fmt REQUIRED)
# Clang gives a function of the library another symbol than g++, which the library was built with, so it has to compile it itself.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set_property(TARGET fmt::fmt APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY=1)
endif()
find_package(tl-expected REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET libdw)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(LIBARCHIVE REQUIRED IMPORTED_TARGET libarchive)
pkg_check_modules(SIMGRID IMPORTED_TARGET simgrid>=3.32) # rondo simulate on platforms with contention
find_program(FLATC flatc REQUIRED)
pkg_check_modules(PROTOBUF IMPORTED_TARGET protobuf-lite) # timelines for Perfetto
find_program(PROTOC protoc)
pkg_check_modules(OTF2 IMPORTED_TARGET otf2>=3.0) # traces of Score-P, TAU and others
