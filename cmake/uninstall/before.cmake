# Runs at the begin of an installation. In: XSCHED_FOLDERS, below the prefix; XSCHED_LIBDIR. Out: XSCHED_NEW_FOLDERS,
# those and their parents that are not there yet.
set(XSCHED_NEW_FOLDERS "")
foreach(folder IN LISTS XSCHED_FOLDERS)
  while(NOT folder STREQUAL "" AND NOT IS_ABSOLUTE "${folder}")
    if(NOT IS_DIRECTORY "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${folder}")
      list(APPEND XSCHED_NEW_FOLDERS "${folder}")
    endif()
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
endforeach()
if(NOT IS_DIRECTORY "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
  list(APPEND XSCHED_NEW_FOLDERS ".")
endif()

# The CUDA shim of earlier versions bore the driver's SONAME. ldconfig made this link to it, which would still lead
# every CUDA program to the shim.
cmake_path(APPEND CMAKE_INSTALL_PREFIX "${XSCHED_LIBDIR}" libcuda.so.1 OUTPUT_VARIABLE link)
set(link "$ENV{DESTDIR}${link}")
if(IS_SYMLINK "${link}")
  file(READ_SYMLINK "${link}" target)
  if(target MATCHES "(^|/)libshimcuda\\.so$")
    file(REMOVE "${link}")
    message(STATUS "Removed ${link}, a link to the shim of an earlier version of XSched; run ldconfig")
  endif()
endif()
