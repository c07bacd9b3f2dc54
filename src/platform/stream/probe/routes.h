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

}  // namespace xsched::probe
