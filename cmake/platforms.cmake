# The common part of the platforms' devices and shims.
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

# The folder of each chosen platform here, of those that have one.
macro(xsched_add_platform_folders)
  foreach(platform IN LISTS XSCHED_PLATFORMS)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${platform}/CMakeLists.txt)
      add_subdirectory(${platform})
    endif()
  endforeach()
endmacro()

# xsched_need_header(PLATFORM VARIABLE HEADER): looks for a header of the vendor's. A platform that was asked for by
# name cannot be built without it; another one is left out.
function(xsched_need_header platform variable header)
  find_path(${variable} ${header})
  if(${variable})
    return()
  endif()
  if(platform IN_LIST XSCHED_PLATFORM)
    message(FATAL_ERROR "${header} not found: install it (scripts/install_deps.sh does)")
  endif()
  message(STATUS "${header} not found: ${platform} is not built (scripts/install_deps.sh installs it)")
endfunction()

# xsched_api(API): what is generated from api/<API>.json at build time, in ${XSCHED_API_DIR}/<API>: the shim's
# trampolines, exports and lists, and the types of the vendor's functions. A target that includes a platform's api.h
# links api_<API>.
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
           ${generated}/traits.inc
    COMMAND ${Python3_EXECUTABLE} -B ${codegen}/generate.py ${table} --out ${generated} --arch ${arch}
    DEPENDS ${codegen}/generate.py ${codegen}/table.py ${codegen}/trampolines.py ${table}
    COMMENT "Generating the entry points of ${api}" VERBATIM)
  add_custom_target(generated_${api} DEPENDS ${generated}/trampolines.S ${generated}/exports.map
                                             ${generated}/entry_points.inc ${generated}/functions.inc
                                             ${generated}/traits.inc)
  add_library(api_${api} INTERFACE)
  target_include_directories(api_${api} INTERFACE ${generated})
  add_dependencies(api_${api} generated_${api})
endfunction()

# xsched_stream_device(name API sources...): the device library of a driver with streams. The files of
# platform/stream/hal are compiled with its vendor.h.
function(xsched_stream_device name api)
  xsched_api(${api})
  set(shared driver_use event_ring gate_trial gates hal hwqueue keep_alive_ops linker pinned_words program_queues
             scratch signals stream_end stream_id users value_operations vendor_library)
  list(TRANSFORM shared PREPEND ../../stream/hal/)
  list(APPEND shared ../../../host/library_search)
  list(TRANSFORM shared APPEND .cpp)
  xsched_guest_library(${name} ${CMAKE_CURRENT_SOURCE_DIR}/exports.map ${ARGN} ${shared})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE room_base api_${api} ${CMAKE_DL_LIBS} PUBLIC preempt)
  xsched_compile_together(${name})
  xsched_public_library(${name})
endfunction()

# xsched_shim(name API sources...): a guest library that stands in the place of a vendor's.
function(xsched_shim name api)
  set(generated ${XSCHED_API_DIR}/${api})
  set_source_files_properties(${generated}/trampolines.S PROPERTIES GENERATED ON)
  xsched_guest_library(${name} ${generated}/exports.map ${generated}/trampolines.S ${ARGN})
  target_link_libraries(${name} PRIVATE room_base api_${api} preempt)
  xsched_compile_together(${name})
  add_dependencies(${name} generated_${api})
  xsched_private_library(${name})
endfunction()

# The same for an interface with streams: the files of platform/stream/shim are compiled with its platform.h, shapes.h
# and vendor.h. The files that move memory and split copies are left out; xsched_stream_shim has them as well.
function(xsched_plain_stream_shim name api)
  set(shared capture device_use early entry_points events hooks ordered streams thread_streams trace)
  list(TRANSFORM shared PREPEND ../../stream/shim/)
  list(APPEND shared ../hal/identity)
  list(TRANSFORM shared APPEND .cpp)
  xsched_shim(${name} ${api} ${ARGN} ${shared})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/src/platform/${api}/hal)
  target_link_libraries(${name} PRIVATE hal${api} ${CMAKE_DL_LIBS})
  if(NOT XSCHED_SANITIZE)  # a sanitizer's runtime asks dlsym before anything else may run
    target_sources(${name} PRIVATE ../../stream/shim/dlsym.S ../../stream/shim/dlsym.cpp)
  endif()
endfunction()

# The same with the files that move memory and split copies, which are compiled with the platform's memory_calls.h too.
function(xsched_stream_shim name api)
  set(shared copies freeing ioctl memory)
  set(memory block_table counted_mappings direct_access evictable host_pool mapped_memory mapping_table memory_account
             memory_moves memory_pieces opened_memory physical piece_server pool_memory program_memory spare_memory)
  list(TRANSFORM memory PREPEND memory/)
  list(APPEND shared ${memory})
  list(TRANSFORM shared PREPEND ../../stream/shim/)
  list(TRANSFORM shared APPEND .cpp)
  xsched_plain_stream_shim(${name} ${api} ${ARGN} ${shared})
endfunction()

# xsched_probe(PLATFORM sources...): probe_<platform>, the trials of xcli doctor --run. It opens the vendor's library at
# run time and links nothing of ours. Its work on the device is that of the benchmark programs.
function(xsched_probe platform)
  if(XSCHED_SANITIZE)  # an ordinary program, which is not needed there
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;FOLDERS;LIBRARIES")
  set(bench ${CMAKE_SOURCE_DIR}/bench)
  file(GLOB common CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/probe/*.cpp)
  file(GLOB own CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(TRANSFORM arg_SOURCES PREPEND ${bench}/)
  list(TRANSFORM arg_FOLDERS PREPEND ${bench}/)
  add_executable(probe_${platform} ${common} ${own} ${arg_SOURCES} ${bench}/programs/arguments.cpp
                                   ${bench}/programs/loops.cpp)
  target_include_directories(probe_${platform} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/src
                             ${CMAKE_SOURCE_DIR}/include ${arg_FOLDERS} ${bench}/programs)
  target_link_libraries(probe_${platform} PRIVATE ${arg_LIBRARIES} Threads::Threads ${CMAKE_DL_LIBS})
  xsched_json_tool(probe_${platform} QUICKEST)
  set_target_properties(probe_${platform} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/xsched)
  install(TARGETS probe_${platform} RUNTIME DESTINATION ${XSCHED_PRIVATE_LIBDIR})
endfunction()

# The same for a platform whose queues are streams: with the trials of platform/stream/probe.
function(xsched_stream_probe platform)
  if(XSCHED_SANITIZE)
    return()
  endif()
  file(GLOB streams CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/platform/stream/probe/*.cpp)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;FOLDERS;LIBRARIES")
  xsched_probe(${platform} SOURCES ${arg_SOURCES} programs/stream/busy_device.cpp
                           FOLDERS ${arg_FOLDERS} programs/stream LIBRARIES ${arg_LIBRARIES})
  target_sources(probe_${platform} PRIVATE ${streams})
  # As in a program linked to the vendor's library, a name that nobody defines here is the dynamic linker's to find.
  target_link_options(probe_${platform} PRIVATE -Wl,-z,dynamic-undefined-weak)
endfunction()

# xsched_vulkan_layer(NAME): the file by which Vulkan's loader finds the shim, as an implicit layer that is off until
# its variable is set. In the build tree `xcli run` puts the folder share into XDG_DATA_DIRS.
function(xsched_vulkan_layer name)
  set(folder vulkan/implicit_layer.d)
  file(RELATIVE_PATH library ${CMAKE_BINARY_DIR}/share/${folder} ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/lib${name}.so)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/vulkan_layer.json.in ${CMAKE_BINARY_DIR}/share/${folder}/xsched.json @ONLY)
  file(RELATIVE_PATH library /prefix/${CMAKE_INSTALL_DATADIR}/${folder}
       /prefix/${XSCHED_PRIVATE_LIBDIR}/lib${name}.so)
  set(installed ${CMAKE_BINARY_DIR}/package/vulkan/xsched.json)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/vulkan_layer.json.in ${installed} @ONLY)
  install(FILES ${installed} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
endfunction()
