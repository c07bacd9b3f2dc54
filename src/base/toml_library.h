// The TOML library, for tools alone, as each of them includes it. toml++ 3.3.0 asserts that a key begins with a letter
// before it has looked ("[{" ends the program), and where NDEBUG is defined Clang takes the same for granted. Neither
// may be for text that a user wrote, and neither is needed: the code behind the assertions refuses such a key.
#pragma once

#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expression) static_assert(true)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
