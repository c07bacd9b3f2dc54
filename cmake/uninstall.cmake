# Uninstalling. An installation keeps a list of its files and of the folders that it made, in DATADIR/xsched below its
# prefix (cmake/uninstall/record.cmake); `make uninstall` and the target uninstall remove what is on it
# (cmake/uninstall/remove.cmake). It needs no build tree that has survived.
set(XSCHED_MANIFEST ${CMAKE_INSTALL_DATADIR}/xsched/installed_files.txt)

# Ninja and Make treat `uninstall` alike; the prefix is the configured one.
add_custom_target(uninstall
  COMMAND ${CMAKE_COMMAND} -DPREFIX=${CMAKE_INSTALL_PREFIX} -DMANIFEST=${XSCHED_MANIFEST}
          -P ${CMAKE_SOURCE_DIR}/cmake/uninstall/remove.cmake
  COMMENT "Removing XSched from ${CMAKE_INSTALL_PREFIX}" VERBATIM)

install(CODE "set(XSCHED_MANIFEST \"${XSCHED_MANIFEST}\")")
install(SCRIPT ${CMAKE_SOURCE_DIR}/cmake/uninstall/record.cmake)
