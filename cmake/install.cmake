include(GNUInstallDirs)
install(DIRECTORY include/xsched DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
