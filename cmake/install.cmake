# The files that are installed besides programs and libraries (cmake/install_layout.cmake): headers, the Python package,
# the files by which other projects find XSched, and the documents. Included last.
include(CMakePackageConfigHelpers)

# Headers of the platforms that are built; those of platforms that only XSched 1.2 has stay in the source tree.
set(XSCHED_BUILT_PLATFORMS "")
file(GLOB platforms RELATIVE ${CMAKE_SOURCE_DIR}/src/platform ${CMAKE_SOURCE_DIR}/src/platform/*)
foreach(platform IN LISTS platforms)
  if(TARGET hal${platform})
    list(APPEND XSCHED_BUILT_PLATFORMS ${platform})
  endif()
endforeach()
set(include ${CMAKE_SOURCE_DIR}/include/xsched)
file(GLOB headers ${include}/*.h)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/xsched)
foreach(platform IN LISTS XSCHED_BUILT_PLATFORMS)
  install(DIRECTORY ${include}/${platform} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/xsched)
endforeach()

install(FILES python/xsched_hip.py DESTINATION ${XSCHED_PYTHON_INSTALL_DIR})
install(DIRECTORY python/xsched DESTINATION ${XSCHED_PYTHON_INSTALL_DIR}
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)

# find_package(xsched): xsched::preempt, xsched::halcuda and so on.
set(package ${CMAKE_BINARY_DIR}/package)
configure_package_config_file(cmake/xsched-config.cmake.in ${package}/xsched-config.cmake
                              INSTALL_DESTINATION ${XSCHED_PACKAGE_DIR} PATH_VARS XSCHED_PRIVATE_LIBDIR)
write_basic_package_version_file(${package}/xsched-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${package}/xsched-config.cmake ${package}/xsched-config-version.cmake DESTINATION ${XSCHED_PACKAGE_DIR})
install(EXPORT xsched NAMESPACE xsched:: FILE xsched-targets.cmake DESTINATION ${XSCHED_PACKAGE_DIR})

# pkg-config: xsched, and xsched-cuda and so on. The prefix is where the file lies, so that the tree may be moved.
file(RELATIVE_PATH up /prefix/${XSCHED_PKGCONFIG_DIR} /prefix)
string(REGEX REPLACE "/$" "" up "${up}")
foreach(kind LIB INCLUDE)
  set(pc_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}DIR}")
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}DIR}")
    set(pc_${kind} "${CMAKE_INSTALL_${kind}DIR}")
  endif()
endforeach()
configure_file(cmake/xsched.pc.in ${package}/xsched.pc @ONLY)
install(FILES ${package}/xsched.pc DESTINATION ${XSCHED_PKGCONFIG_DIR})
foreach(platform IN LISTS XSCHED_BUILT_PLATFORMS)
  configure_file(cmake/xsched-platform.pc.in ${package}/xsched-${platform}.pc @ONLY)
  install(FILES ${package}/xsched-${platform}.pc DESTINATION ${XSCHED_PKGCONFIG_DIR})
endforeach()

# The programs of xcli demo, also where no other benchmarks are built.
set(programs bench_spinner)
install(TARGETS bench_spinner DESTINATION ${CMAKE_INSTALL_LIBDIR}/xsched/demo)
foreach(platform IN LISTS XSCHED_PLATFORMS)
  if(TARGET bench_${platform}_hp AND TARGET shim${platform})
    install(TARGETS bench_${platform}_hp bench_${platform}_lp
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/xsched/demo/${platform})
    list(APPEND programs bench_${platform}_hp bench_${platform}_lp)
  endif()
endforeach()
add_custom_target(demo_programs ALL DEPENDS ${programs})

install(FILES LICENSE README.md README.zh-CN.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg" PATTERN "Makefile" PATTERN "*.mk" PATTERN "*.cpp"
        PATTERN "*.c" PATTERN "*.h" PATTERN "*.py" PATTERN "*.sh" REGEX "/examples/Linux/[^/]+$"
        PATTERN "__pycache__" EXCLUDE)
# Scripts can be run once installed; modules that they share cannot.
file(GLOB_RECURSE scripts RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} examples/*.py examples/*.sh examples/documents/*)
foreach(script ${scripts})
  file(READ ${script} first LIMIT 2)
  get_filename_component(folder ${script} DIRECTORY)
  if(first MATCHES "^#!")
    install(PROGRAMS ${script} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
  endif()
endforeach()
install(FILES python/README.md python/README.zh-CN.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/python)
# Units, alerts and claims that the pages tell to copy.
install(FILES packaging/xserver.service packaging/xserver.socket DESTINATION ${CMAKE_INSTALL_DOCDIR}/packaging)
install(DIRECTORY packaging/user packaging/prometheus DESTINATION ${CMAKE_INSTALL_DOCDIR}/packaging)
install(FILES packaging/kubernetes/example.yaml DESTINATION ${CMAKE_INSTALL_DOCDIR}/packaging/kubernetes)
# Pages that these lead to, and what remains of links to files of the source tree alone.
install(FILES CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(GLOB pictures bench/results/published/*.svg)
install(FILES ${pictures} DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench/results/published)
file(GLOB policy_pages RELATIVE ${CMAKE_SOURCE_DIR} src/policy/*/README*.md)
foreach(page IN LISTS policy_pages)
  get_filename_component(folder ${page} DIRECTORY)
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()
set(documents "${CMAKE_INSTALL_DOCDIR}")
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_DOCDIR}")
  set(documents "\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}")
endif()
install(CODE "execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/docs/installed_links.py
                              \"\$ENV{DESTDIR}${documents}\" COMMAND_ERROR_IS_FATAL ANY)")

include(cmake/uninstall.cmake)
