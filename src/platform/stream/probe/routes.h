// The routes by which programs reach a platform's launch function: linking, dlsym, the runtime's own lookup.
#pragma once

#include <vector>

namespace xsched::probe {

struct Route {
    const char* name;
    void* function;  // the launch function that a program has by it; nullptr: there is no such route
};
// Returns the platform's routes. Call after the platform's runtime was opened.
std::vector<Route> routes();

// Returns names of functions of the platform's library and of its helpers. The trial prints at which address and in
// which library each of them is found.
std::vector<const char*> functions_to_find();
// Returns the dlopen() handle of the runtime; nullptr: there is none.
void* runtime_library();

}  // namespace xsched::probe
