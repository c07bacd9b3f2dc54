// A policy made of one line, such as "priority desc, deadline asc": on each device those run that come first in this
// order, equals together. See README.md. Pure; any thread.
#pragma once

#include <memory>
#include <string>

#include "policy/policy.h"

namespace xsched::policy {

// Null, with a sentence in `error`, if the line says nothing that is known.
std::unique_ptr<Policy> make_expression(const std::string& line, std::string* error);

}  // namespace xsched::policy
