// Numbers as the tables of xsim print them.
#pragma once

#include <string>

namespace xsched::sim::tool {

std::string number(double value, int digits = 1);
std::string percent(double part);

}  // namespace xsched::sim::tool
