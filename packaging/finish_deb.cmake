# SPDX-License-Identifier: Apache-2.0
# CPack runs this between installing into a folder for each package and packing them. It does what debhelper would:
# compressed man pages and changelogs, a copyright file, list of what is linked, and the packages that are needed.
cmake_policy(VERSION 3.25)
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
set(version "${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
find_program(SHLIBDEPS dpkg-shlibdeps)
if(NOT SHLIBDEPS)
  message(FATAL_ERROR "cpack -G DEB needs dpkg-shlibdeps (Debian: dpkg-dev)")
endif()

# rondo_needs(<variable> <folder> <file>...): the packages with the libraries that these files need, as one line.
function(rondo_needs variable folder)
  set(line "")
  if(ARGN)
    set(work ${CPACK_TOPLEVEL_DIRECTORY}/shlibdeps)
    file(WRITE ${work}/debian/control "Source: rondo\n\nPackage: rondo\nArchitecture: any\n")
    list(TRANSFORM ARGN PREPEND -e OUTPUT_VARIABLE files)
    execute_process(COMMAND ${SHLIBDEPS} -O --warnings=0 ${files} WORKING_DIRECTORY ${work}
      OUTPUT_VARIABLE said ERROR_VARIABLE trouble RESULT_VARIABLE status)
    if(NOT status EQUAL 0 OR NOT said MATCHES "shlibs:Depends=([^\n]*)")
      message(FATAL_ERROR "dpkg-shlibdeps does not know what ${ARGN} need:\n${trouble}")
    endif()
    set(line ${CMAKE_MATCH_1})
  endif()
  set(${variable} "${line}" PARENT_SCOPE)
endfunction()

foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component})
  set(doc ${root}/usr/share/doc/${package})
  file(MAKE_DIRECTORY ${doc})
  configure_file(${CPACK_RONDO_SOURCE_DIR}/packaging/debian/copyright ${doc}/copyright COPYONLY)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH where that is set
  configure_file(${CPACK_RONDO_SOURCE_DIR}/packaging/debian/changelog.in ${doc}/changelog.Debian @ONLY)
  file(RENAME ${doc}/changelog.Debian ${doc}/changelog.Debian.tmp)
  execute_process(COMMAND gzip -9n INPUT_FILE ${doc}/changelog.Debian.tmp OUTPUT_FILE ${doc}/changelog.Debian.gz
    COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE ${doc}/changelog.Debian.tmp ${doc}/LICENSE) # the copyright file says where the licence is
  if(EXISTS ${doc}/CHANGELOG.md)
    file(RENAME ${doc}/CHANGELOG.md ${doc}/changelog)
  endif()
  file(GLOB pages ${root}/usr/share/man/man*/*.[1-8] ${doc}/changelog)
  if(pages)
    execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  if(CPACK_PACKAGE_CONTACT MATCHES "@localhost") # whoever gives packages to others says RONDO_PACKAGER
    file(WRITE ${root}/usr/share/lintian/overrides/${package} "${package}: bogus-mail-host *\n${package}: bogus-mail-host-in-debian-changelog *\n")
  endif()
  execute_process(COMMAND chmod -R g-w,go+rX ${root} COMMAND_ERROR_IS_FATAL ANY) # whatever the umask was
  if(EXISTS ${root}/usr/share/zsh/site-functions) # where Debian's zsh looks
    file(RENAME ${root}/usr/share/zsh/site-functions ${root}/usr/share/zsh/vendor-completions)
  endif()
endforeach()

# The program; what plays and measures with an MPI comes with that MPI.
set(root ${CPACK_TEMPORARY_DIRECTORY}/rondo)
execute_process(COMMAND ${CPACK_RONDO_MAKE_SBOM} --output ${root}/usr/share/doc/rondo/rondo.spdx.json COMMAND_ERROR_IS_FATAL ANY)
file(GLOB loaded ${root}/usr/lib/rondo/*.so ${root}/usr/lib/*/rondo/*.so) # recorders, and modules
rondo_needs(CPACK_DEBIAN_RONDO_PACKAGE_DEPENDS ${root} ${root}/usr/bin/rondo ${loaded})
file(GLOB mpi_programs ${root}/usr/lib/rondo/rondo_* ${root}/usr/lib/*/rondo/rondo_*)
rondo_needs(of_mpis ${root} ${mpi_programs})
set(suggested "openmpi-bin | mpich")
string(REPLACE ", " ";" of_mpis "${of_mpis}")
foreach(each ${of_mpis})
  if(each MATCHES "^lib(openmpi|mpich)")
    list(APPEND suggested ${each})
  endif()
endforeach()
list(JOIN suggested ", " CPACK_DEBIAN_RONDO_PACKAGE_SUGGESTS)

set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "rondo") # which has SimGrid's module
# What rondoConfig.cmake and rondo.pc ask for.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "libexpected-dev, libfmt-dev, libzstd-dev, libxxhash-dev, libtbb-dev")
if("python" IN_LIST CPACK_COMPONENTS_ALL)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/python)
  file(GLOB modules ${root}/usr/lib/python3/dist-packages/rondo/*.so)
  rondo_needs(libraries ${root} ${modules})
  string(REGEX REPLACE ".*cpython-3([0-9]+).*" "\\1" minor "${modules}")
  math(EXPR next "${minor} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "${libraries}, python3 (>= 3.${minor}), python3 (<< 3.${next}), python3-numpy, rondo (= ${version})")
endif()
