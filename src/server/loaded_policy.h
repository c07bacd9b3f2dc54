// A policy from a shared library (xsched/policy.h), or from one line (policy/expr): registered beside those of the
// build. The answers of a library's policy are checked, and the time that they take: policy.h says for what it is
// thrown out.
//
// load_policy and register_expression: once, before there is a scheduling thread. They throw std::runtime_error with a
// sentence. `inside` is 1 while a library's code decides: whoever finds it so after the server's end knows what ended
// it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "policy/policy.h"
#include "xsched/policy.h"

namespace xsched::server {

// Each returns the name by which the policy is known from then on.
std::string load_policy(const std::string& path, std::atomic<uint32_t>* inside);
std::string register_expression(const std::string& line);

// For tests as well: a policy of that description.
std::unique_ptr<policy::Policy> make_loaded(const XPolicyModule& module, std::atomic<uint32_t>* inside);

}  // namespace xsched::server
