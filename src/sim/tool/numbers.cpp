#include "sim/tool/numbers.h"

#include <cstdio>

namespace xsched::sim::tool {

std::string number(double value, int digits) {
    char text[64];
    snprintf(text, sizeof(text), "%.*f", digits, value);
    return text;
}

std::string percent(double part) { return number(part * 100) + " %"; }

}  // namespace xsched::sim::tool
