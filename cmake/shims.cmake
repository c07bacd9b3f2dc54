# xsched_shim(name ABI sources...): a guest library that stands in the place of a vendor's. Trampolines, exports and
# lists come from api/<ABI>.json at build time.
enable_language(ASM)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(xsched_shim name abi)
  set(codegen ${CMAKE_SOURCE_DIR}/tools/codegen)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
  set(table ${CMAKE_SOURCE_DIR}/api/${abi}.json)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(arch aarch64)
  else()
    set(arch x86_64)
  endif()
  add_custom_command(
    OUTPUT ${generated}/trampolines.S ${generated}/exports.map ${generated}/entry_points.inc
    COMMAND ${Python3_EXECUTABLE} -B ${codegen}/generate.py ${table} --out ${generated} --arch ${arch}
    DEPENDS ${codegen}/generate.py ${codegen}/trampolines.py ${table}
    COMMENT "Generating the entry points of ${abi}" VERBATIM)
  xsched_guest_library(${name} ${generated}/exports.map ${generated}/trampolines.S ${generated}/entry_points.inc ${ARGN})
  target_include_directories(${name} PRIVATE ${generated})
  target_link_libraries(${name} PRIVATE room_base preempt)
  install(TARGETS ${name} LIBRARY DESTINATION lib)
endfunction()

# The same for an interface with streams: the files of shim/stream are compiled with its platform.h and vendor.h.
function(xsched_stream_shim name abi)
  set(shared capture events ioctl ordered streams thread_streams trace)
  list(TRANSFORM shared PREPEND ../stream/)
  list(TRANSFORM shared APPEND .cpp)
  xsched_shim(${name} ${abi} ${ARGN} ${shared})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/src/device/${abi})
  target_link_libraries(${name} PRIVATE hal${abi} ${CMAKE_DL_LIBS})
endfunction()
