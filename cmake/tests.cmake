# Tests: one GoogleTest program per room, and programs of any kind. Labels divide them, and the target tests_LABEL
# builds what the tests of a label need:
#   core     on fake hardware or none; these run under AddressSanitizer in `make sanitize`; of these, core_guests have
#            the libraries that programs load, and core_rooms the rest
#   threads  of those, the ones with threads; these run under ThreadSanitizer too
#   tools    the command-line tools
#   vendor   on a real driver (PoCL where there is no GPU)
#   lint     the rules of the tree
#   long     what other tests check, repeated more often; only in `make test-all`
#   roots    in other Debian versions and on another processor, which are fetched and built first; likewise
foreach(label core core_guests core_rooms threads tools vendor lint long roots)
  add_custom_target(tests_${label})
endforeach()

# xsched_test_properties(TEST LABEL label... [TARGETS target...] [TIMEOUT seconds] [SECONDS seconds] [SLEEPS]): what
# every test gets; TARGETS are what must be built for it. Exit status 77 means skipped, with the reason on a line
# "skipped: reason". SECONDS says of a test that takes more than a few how long it takes: the longest begin first.
# SLEEPS: it mostly waits, so that it runs beside others. ctest counts processors in halves here: `ctest -j` twice their
# number.
function(xsched_test_properties test)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SLEEPS" "TIMEOUT;SECONDS" "LABEL;TARGETS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
    if(XSCHED_SANITIZE)
      set(arg_TIMEOUT 900)  # the simulator takes twenty times as long
    endif()
  endif()
  if("core" IN_LIST arg_LABEL)
    set(half core_rooms)
    if(CMAKE_CURRENT_SOURCE_DIR MATCHES "/tests/(platform|system|order|fake)(/|$)")
      set(half core_guests)
    endif()
    list(APPEND arg_LABEL ${half})
  endif()
  set_tests_properties(${test} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77 PROCESSORS 2)
  if(arg_SLEEPS)
    set_tests_properties(${test} PROPERTIES PROCESSORS 1)
  endif()
  if(arg_SECONDS)
    set_tests_properties(${test} PROPERTIES COST ${arg_SECONDS})
  endif()
  if(XSCHED_TEST_ENVIRONMENT)
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT ${XSCHED_TEST_ENVIRONMENT})
  endif()
  if(arg_TARGETS)
    foreach(label IN LISTS arg_LABEL)
      add_dependencies(tests_${label} ${arg_TARGETS})
    endforeach()
  endif()
endfunction()

# xsched_long_test(TEST environment command...): what TEST checks, as often as the command says, for make test-all. The
# targets that TEST needs are built with it.
function(xsched_long_test test environment)
  add_test(NAME ${test}_long COMMAND ${ARGN})
  set_tests_properties(${test}_long PROPERTIES ENVIRONMENT "${environment}")
  xsched_test_properties(${test}_long LABEL long TIMEOUT 3600)
endfunction()

# xsched_only_in_test_all(TEST...): for make test-all alone, since another test says nearly the same sooner.
function(xsched_only_in_test_all)
  set_tests_properties(${ARGN} PROPERTIES LABELS long)
endfunction()

# xsched_test(NAME libraries... [JSON] [PROCESSES] [SLEEPS] [TOGETHER] [SECONDS s] [LABEL label...] [FIGURES test...]):
# tests/NAME/*_test.cpp, and those of its folders, as one GoogleTest program. JSON: it uses
# <nlohmann/json.hpp>. PROCESSES: see xsched_watches_processes. TOGETHER: see xsched_compile_together. FIGURES: tests
# that compare figures over long virtual times. Under a sanitizer, where they take minutes, they are left out: it looks
# at the code, of which the other tests run nearly all.
function(xsched_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "JSON;PROCESSES;SLEEPS;TOGETHER" "SECONDS" "LABEL;FIGURES")
  if(NOT arg_LABEL)
    set(arg_LABEL core threads)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${name}/*_test.cpp
                                       ${CMAKE_SOURCE_DIR}/tests/${name}/*/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources})
  target_link_libraries(test_${name} PRIVATE ${arg_UNPARSED_ARGUMENTS})
  target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include
                             ${CMAKE_SOURCE_DIR}/tests)
  if(arg_PROCESSES)
    xsched_watches_processes(test_${name})
  endif()
  set(kind "")
  if(arg_JSON)
    set(kind json)
  endif()
  xsched_googletest(test_${name} ${kind})
  if(arg_TOGETHER)
    xsched_compile_together(test_${name})
  endif()
  set(which "")
  if(arg_FIGURES AND XSCHED_SANITIZE)
    string(JOIN ":" which ${arg_FIGURES})
    string(PREPEND which "--gtest_filter=-")
  endif()
  add_test(NAME ${name} COMMAND test_${name} ${which})
  set(more "")
  if(arg_SLEEPS)
    list(APPEND more SLEEPS)
  endif()
  if(arg_SECONDS)
    list(APPEND more SECONDS ${arg_SECONDS})
  endif()
  xsched_test_properties(${name} LABEL ${arg_LABEL} TARGETS test_${name} ${more})
endfunction()

# xsched_watches_processes(TARGET): a test that starts other programs and watches them. They are what sanitizers are to
# look at; compiling its own files takes a third of the time without.
function(xsched_watches_processes target)
  if(XSCHED_SANITIZE)
    target_compile_options(${target} PRIVATE -fno-sanitize=all -O0 -g0)
    target_compile_definitions(${target} PRIVATE XSCHED_WATCHES_SANITIZED)
  endif()
endfunction()

# xsched_gpu_test(NAME KIND command...): a test that needs a GPU whose driver answers (KIND: cuda, hip or opencl);
# where none does it is skipped, and says so.
function(xsched_gpu_test name kind)
  add_test(NAME ${name} COMMAND ${CMAKE_SOURCE_DIR}/scripts/need_gpu ${kind} ${ARGN})
  xsched_test_properties(${name} LABEL vendor)
  set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
endfunction()
