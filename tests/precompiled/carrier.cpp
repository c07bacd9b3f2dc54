// A program that does nothing: the precompiled header of the tests belongs to it (cmake/precompiled.cmake).
int main() {}
