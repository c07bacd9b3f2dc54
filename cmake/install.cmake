include(GNUInstallDirs)
install(DIRECTORY include/xsched DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# The Python package, where Debian keeps those of any Python 3 version; for other prefixes PYTHONPATH names the folder.
set(XSCHED_PYTHON_INSTALL_DIR lib/python3/dist-packages CACHE STRING "Where the Python package goes, below the prefix")
install(DIRECTORY python/xsched DESTINATION ${XSCHED_PYTHON_INSTALL_DIR}
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
