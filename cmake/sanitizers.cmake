# XSCHED_SANITIZE=address,undefined or thread: everything is built with it, in the build type Sanitized (quick to
# build, fast enough to run). A sanitized library that is preloaded needs the sanitizer's runtime before it, because
# the program it is loaded into was not built with one: tests get that runtime's path in XSCHED_SANITIZER_RUNTIME
# and put it first in LD_PRELOAD (tests/preload does).
set(CMAKE_CXX_FLAGS_SANITIZED "-O1 -g1" CACHE STRING "")
set(CMAKE_C_FLAGS_SANITIZED "-O1 -g1" CACHE STRING "")
mark_as_advanced(CMAKE_CXX_FLAGS_SANITIZED CMAKE_C_FLAGS_SANITIZED)

set(XSCHED_SANITIZER_RUNTIME "")
set(XSCHED_TEST_ENVIRONMENT "")
if(XSCHED_SANITIZE)
  add_compile_options(-fsanitize=${XSCHED_SANITIZE} -fno-omit-frame-pointer)
  if(XSCHED_SANITIZE MATCHES "undefined")
    # The rooms have no RTTI, so no code can check the types of their objects.
    add_compile_options(-fno-sanitize-recover=undefined -fno-sanitize=vptr)
  endif()
  add_link_options(-fsanitize=${XSCHED_SANITIZE})

  if(XSCHED_SANITIZE MATCHES "address")
    set(runtime libasan.so)
  elseif(XSCHED_SANITIZE MATCHES "thread")
    set(runtime libtsan.so)
  else()
    set(runtime libubsan.so)
  endif()
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${runtime}
                  OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE)
  get_filename_component(XSCHED_SANITIZER_RUNTIME "${found}" REALPATH)
  set(suppressions ${CMAKE_SOURCE_DIR}/tests/suppressions)
  set(XSCHED_TEST_ENVIRONMENT
      "XSCHED_SANITIZER_RUNTIME=${XSCHED_SANITIZER_RUNTIME}"
      "ASAN_OPTIONS=detect_stack_use_after_return=1:detect_odr_violation=1"
      "LSAN_OPTIONS=suppressions=${suppressions}/lsan.supp:print_suppressions=0"
      "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1"
      "TSAN_OPTIONS=suppressions=${suppressions}/tsan.supp:halt_on_error=1:second_deadlock_stack=1")
endif()
