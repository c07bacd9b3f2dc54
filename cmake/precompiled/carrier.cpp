// A file of nothing: the precompiled header of the tools belongs to it (cmake/precompiled.cmake).
