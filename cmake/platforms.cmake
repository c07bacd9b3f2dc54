# What the devices and shims of platforms have in common.
enable_language(ASM)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# xsched_stream_device(name sources...): the device library of a driver with streams. The files of platform/stream/hal
# are compiled with its vendor.h.
function(xsched_stream_device name)
  set(shared driver_use event_ring hwqueue library_search pinned_words scratch stream_id)
  list(TRANSFORM shared PREPEND ../../stream/hal/)
  list(TRANSFORM shared APPEND .cpp)
  xsched_guest_library(${name} ${CMAKE_CURRENT_SOURCE_DIR}/exports.map ${ARGN} ${shared})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE room_base ${CMAKE_DL_LIBS} PUBLIC preempt)
  xsched_public_library(${name})
endfunction()

# xsched_shim(name API sources...): a guest library that stands in the place of a vendor's. Trampolines, exports and
# lists come from api/<API>.json at build time.
function(xsched_shim name api)
  set(codegen ${CMAKE_SOURCE_DIR}/tools/codegen)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
  set(table ${CMAKE_SOURCE_DIR}/api/${api}.json)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(arch aarch64)
  else()
    set(arch x86_64)
  endif()
  add_custom_command(
    OUTPUT ${generated}/trampolines.S ${generated}/exports.map ${generated}/entry_points.inc
    COMMAND ${Python3_EXECUTABLE} -B ${codegen}/generate.py ${table} --out ${generated} --arch ${arch}
    DEPENDS ${codegen}/generate.py ${codegen}/trampolines.py ${table}
    COMMENT "Generating the entry points of ${api}" VERBATIM)
  xsched_guest_library(${name} ${generated}/exports.map ${generated}/trampolines.S ${generated}/entry_points.inc
                       ${ARGN})
  target_include_directories(${name} PRIVATE ${generated})
  target_link_libraries(${name} PRIVATE room_base preempt)
  xsched_private_library(${name})
endfunction()

# The same for an interface with streams: the files of platform/stream/shim are compiled with its platform.h and
# vendor.h.
function(xsched_stream_shim name api)
  set(shared capture events ioctl ordered streams thread_streams trace)
  list(TRANSFORM shared PREPEND ../../stream/shim/)
  list(TRANSFORM shared APPEND .cpp)
  xsched_shim(${name} ${api} ${ARGN} ${shared})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/src/platform/${api}/hal)
  target_link_libraries(${name} PRIVATE hal${api} ${CMAKE_DL_LIBS})
endfunction()
