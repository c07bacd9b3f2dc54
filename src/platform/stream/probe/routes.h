// The ways by which programs get at a platform's launch function.
#pragma once

#include <vector>

namespace xsched::probe {

struct Route {
    const char* name;
    void* function;  // the launch function that a program has by it; nullptr: there is no such route
};
// The platform's; once its runtime is open.
std::vector<Route> routes();

// Functions of the platform's library and of its helpers, whose places in memory are saved.
std::vector<const char*> functions_to_find();
// As dlopen() has it; nullptr: there is none.
void* runtime_library();

}  // namespace xsched::probe
