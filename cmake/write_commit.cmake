# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=... -DOUTPUT=... -P write_commit.cmake: which commit is built, "" outside of a checkout.
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-prefix --short=9 HEAD
  OUTPUT_VARIABLE said ERROR_QUIET RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
set(commit "")
if(status EQUAL 0 AND said MATCHES "^\n?([0-9a-f]+)$") # not the one of a checkout around an unpacked tarball
  set(commit ${CMAKE_MATCH_1})
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define RONDO_COMMIT \"${commit}\"\n" @ONLY)
