# The oldest C library that guest libraries run on. A program that they are loaded into may bring a C library that is
# older than this system's, in a container or a snap: a symbol version that it lacks would end the program before its
# main. So guest libraries are linked with the C library as it was (tools/libc_floor.py makes it of this system's, each
# symbol at the version that it had), and bring along what GCC's static runtime and headers ask of newer ones
# (src/floor). 2.17: RHEL 7, manylinux2014, the first glibc for arm64. Empty: with the C library as it is, as under
# sanitizers and where it is no glibc.
set(XSCHED_GLIBC_FLOOR 2.17 CACHE STRING "Oldest glibc that guest libraries run on; empty: this system's")
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("#include <features.h>\nstatic_assert(__GLIBC__ == 2);\nint main() {}" XSCHED_GLIBC)

if(XSCHED_GLIBC_FLOOR AND XSCHED_GLIBC AND NOT XSCHED_SANITIZE)
  set(floor ${CMAKE_BINARY_DIR}/floor)
  add_custom_command(OUTPUT ${floor}/libc.so
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tools/libc_floor.py "--compiler=${CMAKE_C_COMPILER}"
            --readelf ${CMAKE_READELF} --floor ${XSCHED_GLIBC_FLOOR} --out ${floor}
    DEPENDS ${CMAKE_SOURCE_DIR}/tools/libc_floor.py
    COMMENT "Making the C library's symbols of glibc ${XSCHED_GLIBC_FLOOR}" VERBATIM)
  add_custom_target(libc_floor DEPENDS ${floor}/libc.so)
endif()

# xsched_floor(TARGET): links a guest library so that it runs on the oldest C library.
function(xsched_floor target)
  if(NOT TARGET libc_floor)
    return()
  endif()
  add_dependencies(${target} libc_floor)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:room_floor>)
  target_link_options(${target} BEFORE PRIVATE -L${CMAKE_BINARY_DIR}/floor)  # no folder to search at run time
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${CMAKE_BINARY_DIR}/floor/libc.so)
endfunction()
