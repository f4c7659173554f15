# SPDX-License-Identifier: Apache-2.0
# cmake -DNAME=... -DFILES=a,b,... -DOUTPUT=... -P write_door.cmake: a header that defines NAME as the door of a module,
# with a sum of these files in its name.
string(REPLACE "," ";" FILES "${FILES}")
set(sums "")
foreach(file ${FILES})
  file(SHA256 ${file} sum)
  string(APPEND sums ${sum})
endforeach()
string(SHA256 sum "${sums}")
string(SUBSTRING ${sum} 0 16 sum)
string(TOLOWER ${NAME} door)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define ${NAME} ${door}_${sum}\n" @ONLY)
