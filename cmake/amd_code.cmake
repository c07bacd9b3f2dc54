# Kernels of the HIP programs and of xcli doctor's probe for AMD GPUs, so that a machine needs no hiprtc. A clang that
# can compiles them: ROCm's, or Debian's with its lld. Where there is none they are left out. XSCHED_AMD_CLANG names
# one.
set(amd_processors gfx90a gfx942)
set(amd_kernels ${CMAKE_SOURCE_DIR}/bench/hip/main_job)
set(amd_flags -x hip --cuda-device-only --no-gpu-bundle-output -nogpulib -nogpuinc -O2)

function(xsched_find_amd_clang)
  if(DEFINED XSCHED_AMD_CLANG)
    return()
  endif()
  file(GLOB versions /usr/lib/llvm-*/bin/clang)
  list(SORT versions COMPARE NATURAL ORDER DESCENDING)
  foreach(clang $ENV{ROCM_PATH}/llvm/bin/clang /opt/rocm/llvm/bin/clang ${versions})
    if(NOT EXISTS ${clang})
      continue()
    endif()
    execute_process(COMMAND ${clang} ${amd_flags} --offload-arch=gfx942 ${amd_kernels}/kernel.hip
                            -o ${CMAKE_BINARY_DIR}/amd_code_trial.co
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(XSCHED_AMD_CLANG ${clang} CACHE FILEPATH "clang for AMD GPUs; empty: no code objects")
      return()
    endif()
  endforeach()
  message(STATUS "No clang and lld here have gfx942 as a target: programs need ROCm's hiprtc on AMD GPUs")
  set(XSCHED_AMD_CLANG "" CACHE FILEPATH "clang for AMD GPUs; empty: no code objects")
endfunction()

if("hip" IN_LIST XSCHED_PLATFORMS)
  xsched_find_amd_clang()
  add_library(amd_code STATIC ${amd_kernels}/code_objects.cpp)
  target_include_directories(amd_code PUBLIC ${amd_kernels})
endif()
if(TARGET amd_code AND XSCHED_AMD_CLANG)
  set(folder ${CMAKE_BINARY_DIR}/amd_code)
  file(MAKE_DIRECTORY ${folder})
  foreach(processor IN LISTS amd_processors)
    add_custom_command(OUTPUT ${folder}/${processor}.co
                       COMMAND ${XSCHED_AMD_CLANG} ${amd_flags} --offload-arch=${processor} ${amd_kernels}/kernel.hip
                               -o ${folder}/${processor}.co
                       DEPENDS ${amd_kernels}/kernel.hip COMMENT "Compiling kernels for ${processor}" VERBATIM)
    list(APPEND objects ${folder}/${processor}.co)
  endforeach()
  target_sources(amd_code PRIVATE ${amd_kernels}/code_objects.S)
  set_source_files_properties(${amd_kernels}/code_objects.S PROPERTIES
                              INCLUDE_DIRECTORIES ${folder} OBJECT_DEPENDS "${objects}")
  add_custom_target(amd_code_objects DEPENDS ${objects})
  add_dependencies(amd_code amd_code_objects)
  target_compile_definitions(amd_code PRIVATE XSCHED_AMD_CODE)
endif()
