# What the devices and shims of platforms have in common.
enable_language(ASM)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# Where things are generated. Of all platforms at once, built or not: platforms.inc for xcli, and their options.
set(XSCHED_API_DIR ${CMAKE_BINARY_DIR}/api)
file(GLOB descriptions CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/platform/*/platform.json
                                         ${CMAKE_SOURCE_DIR}/src/platform/*/options.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${descriptions} ${CMAKE_SOURCE_DIR}/tools/platforms.py)
execute_process(COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tools/platforms.py ${XSCHED_API_DIR}
                COMMAND_ERROR_IS_FATAL ANY)
include_directories(${XSCHED_API_DIR})

# xsched_api(API): what is generated from api/<API>.json at build time, in ${XSCHED_API_DIR}/<API>: the shim's
# trampolines, exports and lists, and the types of the vendor's functions. Whoever includes a platform's api.h links
# api_<API>.
function(xsched_api api)
  set(codegen ${CMAKE_SOURCE_DIR}/tools/codegen)
  set(generated ${XSCHED_API_DIR}/${api})
  set(table ${CMAKE_SOURCE_DIR}/api/${api}.json)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(arch aarch64)
  else()
    set(arch x86_64)
  endif()
  add_custom_command(
    OUTPUT ${generated}/trampolines.S ${generated}/exports.map ${generated}/entry_points.inc ${generated}/functions.inc
    COMMAND ${Python3_EXECUTABLE} -B ${codegen}/generate.py ${table} --out ${generated} --arch ${arch}
    DEPENDS ${codegen}/generate.py ${codegen}/table.py ${codegen}/trampolines.py ${table}
    COMMENT "Generating the entry points of ${api}" VERBATIM)
  add_custom_target(generated_${api} DEPENDS ${generated}/trampolines.S ${generated}/exports.map
                                             ${generated}/entry_points.inc ${generated}/functions.inc)
  add_library(api_${api} INTERFACE)
  target_include_directories(api_${api} INTERFACE ${generated})
  add_dependencies(api_${api} generated_${api})
endfunction()

# xsched_stream_device(name API sources...): the device library of a driver with streams. The files of
# platform/stream/hal are compiled with its vendor.h.
function(xsched_stream_device name api)
  xsched_api(${api})
  set(shared driver_use event_ring hal hwqueue library_search pinned_words scratch stream_id users vendor_library)
  list(TRANSFORM shared PREPEND ../../stream/hal/)
  list(TRANSFORM shared APPEND .cpp)
  xsched_guest_library(${name} ${CMAKE_CURRENT_SOURCE_DIR}/exports.map ${ARGN} ${shared})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE room_base api_${api} ${CMAKE_DL_LIBS} PUBLIC preempt)
  xsched_public_library(${name})
endfunction()

# xsched_shim(name API sources...): a guest library that stands in the place of a vendor's.
function(xsched_shim name api)
  set(generated ${XSCHED_API_DIR}/${api})
  set_source_files_properties(${generated}/trampolines.S PROPERTIES GENERATED ON)
  xsched_guest_library(${name} ${generated}/exports.map ${generated}/trampolines.S ${ARGN})
  target_link_libraries(${name} PRIVATE room_base api_${api} preempt)
  add_dependencies(${name} generated_${api})
  xsched_private_library(${name})
endfunction()

# The same for an interface with streams: the files of platform/stream/shim are compiled with its platform.h, shapes.h
# and vendor.h.
function(xsched_stream_shim name api)
  set(shared capture entry_points events hooks ioctl ordered streams thread_streams trace)
  list(TRANSFORM shared PREPEND ../../stream/shim/)
  list(TRANSFORM shared APPEND .cpp)
  xsched_shim(${name} ${api} ${ARGN} ${shared})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/src/platform/${api}/hal)
  target_link_libraries(${name} PRIVATE hal${api} ${CMAKE_DL_LIBS})
endfunction()
