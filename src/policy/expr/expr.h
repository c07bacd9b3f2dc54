// A policy made of one line, such as "priority desc, deadline asc". On each device the units run that come first in
// this order; units with equal values run together. See README.md. Pure; any thread.
#pragma once

#include <memory>
#include <string>

#include "policy/policy.h"

namespace xsched::policy {

// Returns the policy. Returns null, and a sentence in `error`, if the line cannot be understood.
std::unique_ptr<Policy> make_expression(const std::string& line, std::string* error);

}  // namespace xsched::policy
