# Headers that are compiled once. GoogleTest and JSON cost a test's file more than its own text does.

# The standard headers that most files of this tree include.
set(XSCHED_STANDARD_HEADERS <algorithm> <array> <atomic> <chrono> <condition_variable> <cstdio> <cstdlib> <cstring>
    <functional> <map> <memory> <mutex> <optional> <set> <sstream> <string> <thread> <unordered_map> <vector>)

# xsched_precompile(TARGET header...): for a target of many files, all C++; with the standard headers.
function(xsched_precompile target)
  target_precompile_headers(${target} PRIVATE ${XSCHED_STANDARD_HEADERS} ${ARGN})
endfunction()

# xsched_compile_together(TARGET): for a program of many small files, where most of the compiler's time goes into
# headers: several make one translation unit. Names in their unnamed namespaces must differ. XSCHED_FILES_TOGETHER=1
# compiles each by itself, as suits a person who changes one file again and again. The preset tidy does so too, because
# clang's analyzer follows no path through a file that another one includes.
set(XSCHED_FILES_TOGETHER 32 CACHE STRING "Most files that are compiled as one, in programs of many; 1: each by itself")
function(xsched_compile_together target)
  if(XSCHED_FILES_TOGETHER GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${XSCHED_FILES_TOGETHER})
  endif()
endfunction()

# Options for what reads command lines and JSON: header-only libraries make most of its code, which waits for people,
# and to optimize that takes longer than all the rest.
set(XSCHED_QUICK_TO_BUILD -O1 -g1)
# The same for tools of which nothing has to be fast, where tests are built: that takes half of the time. Most of what
# JSON costs them while they run is in the templates that are compiled once, with -O1.
set(XSCHED_QUICKEST_TO_BUILD ${XSCHED_QUICK_TO_BUILD})
if(XSCHED_BUILD_TESTS AND NOT XSCHED_SANITIZE)
  set(XSCHED_QUICKEST_TO_BUILD -O0 -g1)
endif()

# xsched_googletest(TARGET [json]): a GoogleTest program; json: it uses <nlohmann/json.hpp>. Call it after everything
# else that sets options. These programs are quick to build rather than quick, and share one precompiled header of each
# kind.
function(xsched_googletest target)
  if(NOT TARGET googletest_main)
    add_library(googletest_main STATIC EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/support/main.cpp
                                                        ${CMAKE_SOURCE_DIR}/tests/support/open_folders.cpp)
    target_include_directories(googletest_main PRIVATE ${CMAKE_SOURCE_DIR}/tests)
    target_link_libraries(googletest_main PUBLIC GTest::gtest)
  endif()
  set(kind googletest)
  set(headers <gtest/gtest.h>)
  set(libraries GTest::gtest Threads::Threads)
  if("json" IN_LIST ARGN)
    set(kind json)
    list(APPEND headers ${CMAKE_SOURCE_DIR}/cmake/precompiled/json.h)
    xsched_json_templates()
    list(APPEND libraries json_templates)
  endif()
  if(NOT XSCHED_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
  target_link_libraries(${target} PRIVATE googletest_main ${libraries})
  # A precompiled header suits programs with the same options; those under a sanitizer have two sets.
  get_target_property(options ${target} COMPILE_OPTIONS)
  string(MD5 variant "${options}")
  string(SUBSTRING ${variant} 0 6 variant)
  set(carrier precompiled_${kind}_${variant})
  if(NOT TARGET ${carrier})
    add_executable(${carrier} EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/precompiled/carrier.cpp)
    set_target_properties(${carrier} PROPERTIES COMPILE_OPTIONS "${options}")
    target_link_libraries(${carrier} PRIVATE ${libraries})
    xsched_precompile(${carrier} ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${carrier})
endfunction()

# xsched_json_tool(TARGET [QUICKEST]): a program of many files with command lines and JSON. QUICKEST: nothing of it has
# to be fast. Call it after everything else that sets options. Tools with the same options share one precompiled header,
# which takes as long as a file of theirs; -fPIC makes those of programs and of object libraries the same.
function(xsched_json_tool target)
  xsched_json_templates()
  set(options ${XSCHED_QUICK_TO_BUILD})
  if("QUICKEST" IN_LIST ARGN)
    set(options ${XSCHED_QUICKEST_TO_BUILD})
  endif()
  target_compile_options(${target} PRIVATE ${options} -fPIC)
  target_link_libraries(${target} PRIVATE json_templates)
  get_target_property(options ${target} COMPILE_OPTIONS)
  string(MD5 variant "${options}")
  string(SUBSTRING ${variant} 0 6 variant)
  set(carrier precompiled_tool_${variant})
  if(NOT TARGET ${carrier})
    add_library(${carrier} OBJECT EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/cmake/precompiled/carrier.cpp)
    set_target_properties(${carrier} PROPERTIES COMPILE_OPTIONS "${options}")
    target_link_libraries(${carrier} PRIVATE json_templates Threads::Threads)
    xsched_precompile(${carrier} ${CMAKE_SOURCE_DIR}/cmake/precompiled/json.h)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${carrier})
  xsched_compile_together(${target})
endfunction()

# The templates of <nlohmann/json.hpp> that cmake/precompiled/json.h declares, compiled once for all programs.
function(xsched_json_templates)
  if(NOT TARGET json_templates)
    find_package(nlohmann_json REQUIRED)
    add_library(json_templates STATIC EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/cmake/precompiled/json.cpp)
    target_link_libraries(json_templates PUBLIC nlohmann_json::nlohmann_json)
    target_compile_options(json_templates PRIVATE ${XSCHED_QUICK_TO_BUILD})
  endif()
endfunction()
