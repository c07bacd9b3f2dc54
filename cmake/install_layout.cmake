# Where things are installed. Libraries that any linker may find are in LIBDIR: libpreempt and the HALs, under SONAMEs
# and versions of their own. Libraries that no linker should find are in LIBDIR/xsched: the shims, which stand in the
# place of a vendor's library; LIBDIR has a link to each, because their documented names are there
# (LD_PRELOAD=PREFIX/lib/libshimhip.so).
#
# LIBDIR is lib wherever nobody says otherwise, also where the distribution's own is another: the documented names are
# below PREFIX/lib. A packager gives CMAKE_INSTALL_LIBDIR.
if(NOT DEFINED CMAKE_INSTALL_LIBDIR)
  set(CMAKE_INSTALL_LIBDIR lib CACHE PATH "Where libraries go, below the prefix")
endif()
include(GNUInstallDirs)
set(XSCHED_PRIVATE_LIBDIR ${CMAKE_INSTALL_LIBDIR}/xsched)
set(XSCHED_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/xsched)
set(XSCHED_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# The Python package, where Debian keeps those of any Python 3 version; for other prefixes PYTHONPATH names the folder.
set(XSCHED_PYTHON_INSTALL_DIR lib/python3/dist-packages CACHE STRING "Where the Python package goes, below the prefix")

# Raised when an exported function changes so that programs built before no longer work; then also in the Python
# package.
set(XSCHED_ABI_VERSION 1)

# The libraries of the Python wheel: cmake --build BUILD --target libraries, then cmake --install BUILD --component
# libraries.
add_custom_target(libraries)

# xsched_public_library(NAME): a library that programs are linked to.
function(xsched_public_library name)
  set_target_properties(${name} PROPERTIES VERSION ${XSCHED_ABI_VERSION}.0.0 SOVERSION ${XSCHED_ABI_VERSION})
  target_include_directories(${name} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS ${name} EXPORT xsched LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries)
  add_dependencies(libraries ${name})
endfunction()

# Comes first of all that is installed: which folders there were before (cmake/uninstall.cmake).
set(folders ${CMAKE_INSTALL_BINDIR} ${XSCHED_PRIVATE_LIBDIR} ${XSCHED_PACKAGE_DIR} ${XSCHED_PKGCONFIG_DIR}
            ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_INSTALL_DOCDIR} ${CMAKE_INSTALL_DATADIR} ${XSCHED_PYTHON_INSTALL_DIR}
            ${CMAKE_INSTALL_MANDIR}/man1 ${CMAKE_INSTALL_MANDIR}/man8
            ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
            ${CMAKE_INSTALL_DATADIR}/zsh/site-functions ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
            ${CMAKE_INSTALL_DATADIR}/vulkan/implicit_layer.d)
install(CODE "set(XSCHED_FOLDERS \"${folders}\")\nset(XSCHED_LIBDIR \"${CMAKE_INSTALL_LIBDIR}\")")
install(SCRIPT ${CMAKE_SOURCE_DIR}/cmake/uninstall/before.cmake)

# Folders by which glibc's linker finds the shims under .../$LIB/libshimcuda.so, whatever $LIB is there, and musl's does
# not (cli/installation.cpp). In the build tree, where the shims are beside all other libraries, likewise.
set(links ${CMAKE_BINARY_DIR}/install_links)
foreach(name lib lib64 ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
  foreach(folder ${links}/any ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
    file(MAKE_DIRECTORY ${folder})
    file(CREATE_LINK . ${folder}/${name} SYMBOLIC)
  endforeach()
  install(FILES ${links}/any/${name} DESTINATION ${XSCHED_PRIVATE_LIBDIR})
endforeach()

# xsched_private_library(NAME): one that is preloaded; its name in LIBDIR is a link. ldconfig takes a link there for a
# library of its target's SONAME: so that one is our own name, never a vendor's.
function(xsched_private_library name)
  # By its own path and by that of the link.
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN:$ORIGIN/..")
  install(TARGETS ${name} LIBRARY DESTINATION ${XSCHED_PRIVATE_LIBDIR} COMPONENT libraries)
  add_dependencies(libraries ${name})
  set(links ${CMAKE_BINARY_DIR}/install_links)
  file(MAKE_DIRECTORY ${links})
  file(CREATE_LINK xsched/lib${name}.so ${links}/lib${name}.so SYMBOLIC)
  install(FILES ${links}/lib${name}.so DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# xsched_man_page(PROGRAM SECTION): the page that the program prints with --man. There is none where the program is
# compiled for another machine.
function(xsched_man_page program section)
  set(page ${CMAKE_BINARY_DIR}/man/${program}.${section})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/man)
  if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
    add_custom_command(OUTPUT ${page} COMMAND ${program} --man > ${page} DEPENDS ${program} VERBATIM)
    add_custom_target(${program}_man ALL DEPENDS ${page})
  endif()
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} OPTIONAL)
endfunction()
