# The choices at configure time.
set(XSCHED_PLATFORM "all" CACHE STRING "Platforms to build: all, or folders of src/platform (a list is fine)")
# Off for users; the presets turn on what each is for.
option(XSCHED_BUILD_TESTS "Build the tests" OFF)
option(XSCHED_BUILD_BENCH "Build the benchmarks" OFF)
option(XSCHED_BUILD_FUZZERS "Build the fuzz targets with libFuzzer, which takes clang (preset fuzz)" OFF)
set(XSCHED_SANITIZE "" CACHE STRING "Sanitizers for everything, such as address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
# XSCHED_PLATFORMS: the chosen ones. A folder with a platform.json is a platform.
file(GLOB known RELATIVE ${CMAKE_SOURCE_DIR}/src/platform CONFIGURE_DEPENDS
     ${CMAKE_SOURCE_DIR}/src/platform/*/platform.json)
list(TRANSFORM known REPLACE "/platform.json$" "")
set(XSCHED_PLATFORMS ${XSCHED_PLATFORM})
if(XSCHED_PLATFORM STREQUAL "all")
  set(XSCHED_PLATFORMS ${known})
endif()
foreach(platform IN LISTS XSCHED_PLATFORMS)
  if(NOT platform IN_LIST known)
    list(JOIN known ", " known)
    message(FATAL_ERROR "XSCHED_PLATFORM=${platform}: this version has no such platform; it has: ${known} (or all)")
  endif()
endforeach()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

# ccache, where it is installed. Its base directory and the prefix map make a second checkout, or a second build
# directory, find what the first one compiled; they also keep this machine's paths out of the libraries. It takes
# precompiled headers. It looks at the files that were included, and does not preprocess each first: a fresh checkout
# has nothing to find, and should not wait for that. Without a home in which it may write, it compiles nothing at all.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
               CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE_PROGRAM})
  execute_process(COMMAND ${launcher} ${CMAKE_CXX_COMPILER} -x c++ -c /dev/null -o ${CMAKE_BINARY_DIR}/ccache_works.o
                  RESULT_VARIABLE ccache_fails OUTPUT_QUIET ERROR_QUIET)
  if(ccache_fails EQUAL 0)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  endif()
endif()

# g++ collects its garbage from 128 MB on, twenty times in a file of JSON: a tenth of the time such a file takes.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=600000>)

add_compile_options(-Wall -Wextra -Wshadow -Wno-missing-field-initializers)
add_compile_options(-ffile-prefix-map=${CMAKE_BINARY_DIR}=build -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
include(cmake/sanitizers.cmake)

find_package(Threads REQUIRED)
