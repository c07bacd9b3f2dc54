# Rooms and guest libraries: see docs/ARCHITECTURE.md.

# xsched_room(NAME DIR [DRAWERS] [TOGETHER]): every .cpp directly in src/DIR, with DRAWERS also those of its folders, as
# an object library that guests and tools link alike. TOGETHER: see xsched_compile_together.
# No exceptions and no RTTI: a room may live in somebody else's process. No procedure linkage tables: all is bound at
# once, and what a call jumps through is memory that a program after a pause has to fetch.
set(XSCHED_GUEST_OPTIONS -fno-exceptions -fno-plt $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
function(xsched_room name dir)
  set(folders ${CMAKE_SOURCE_DIR}/src/${dir}/*.cpp)
  if("DRAWERS" IN_LIST ARGN)
    list(APPEND folders ${CMAKE_SOURCE_DIR}/src/${dir}/*/*.cpp)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${folders})
  if(NOT sources)
    return()
  endif()
  add_library(room_${name} OBJECT ${sources})
  target_include_directories(room_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_compile_options(room_${name} PRIVATE ${XSCHED_GUEST_OPTIONS})
  target_link_libraries(room_${name} PUBLIC Threads::Threads)
  if("TOGETHER" IN_LIST ARGN)
    xsched_compile_together(room_${name})
  endif()
endfunction()

# xsched_guest_library(NAME EXPORTS sources...): a shared library that is loaded into users' programs. It depends on
# libc alone (libstdc++ and libgcc are inside and hidden) and exports what the version script EXPORTS names.
function(xsched_guest_library name exports)
  add_library(${name} SHARED ${ARGN})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>
                                            $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>)
  target_compile_options(${name} PRIVATE ${XSCHED_GUEST_OPTIONS})
  if(NOT XSCHED_SANITIZE)  # sanitizers bring their own operator new, and their own libraries
    target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src/base/guest/new.cpp)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc -Wl,-z,defs)
  endif()
  target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL -Wl,--version-script=${exports} -Wl,-z,now -Wl,-z,nodelete)
  target_link_libraries(${name} PRIVATE Threads::Threads)
  # Built as installed: what CMake puts in for later replacement ends in an empty entry, the current directory.
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${exports} INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
  xsched_floor(${name})
endfunction()
