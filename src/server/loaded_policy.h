// A policy from a shared library (xsched/policy.h), or from a one-line expression (policy/expr), registered beside the
// built-in ones. The answers of a library's policy are checked, and the time that they take. policy.h says for what a
// policy is thrown out.
//
// Call load_policy and register_expression once, before the scheduling thread exists. They throw std::runtime_error
// with a sentence. `inside` is 1 while a library's code decides. If a server ends while it is 1, that code ended it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "policy/policy.h"
#include "xsched/policy.h"

namespace xsched::server {

// Load a policy from a file (load_policy), or make one from an expression (register_expression). Both functions return
// the name by which the policy is known from then on.
std::string load_policy(const std::string& path, std::atomic<uint32_t>* inside);
std::string register_expression(const std::string& line);

// Makes a policy of that module (also for tests).
std::unique_ptr<policy::Policy> make_loaded(const XPolicyModule& module, std::atomic<uint32_t>* inside);

}  // namespace xsched::server
