#include "policy/policy.h"

namespace xsched::policy {

namespace {

// Set while libraries are loaded (one thread at a time), only read afterwards.
constinit const detail::Registration* g_first = nullptr;

// ASCII only: names are ours, and a guest's locale must not change what they mean.
int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : static_cast<unsigned char>(c); }

int compare_names(const char* a, const char* b) {
    while (*a != '\0' && lower(*a) == lower(*b)) {
        ++a;
        ++b;
    }
    return lower(*a) - lower(*b);
}

// The first in order of name after `name` (of all, if null). The list itself is in link order, which differs from
// build to build; it is too short for sorting to be worth memory.
const PolicyInfo* next_after(const char* name) {
    const PolicyInfo* best = nullptr;
    for (const detail::Registration* link = g_first; link != nullptr; link = link->next) {
        if (name != nullptr && compare_names(link->info.name, name) <= 0) continue;
        if (best == nullptr || compare_names(link->info.name, best->name) < 0) best = &link->info;
    }
    return best;
}

}  // namespace

detail::Registration::Registration(const PolicyInfo& policy_info) noexcept : info(policy_info), next(g_first) {
    g_first = this;
}

PolicyList::Iterator PolicyList::begin() const { return Iterator(next_after(nullptr)); }

PolicyList::Iterator& PolicyList::Iterator::operator++() {
    info_ = next_after(info_->name);
    return *this;
}

const PolicyInfo* find_policy(const char* name) {
    if (name == nullptr) return nullptr;
    for (const detail::Registration* link = g_first; link != nullptr; link = link->next) {
        if (compare_names(link->info.name, name) == 0) return &link->info;
    }
    return nullptr;
}

const PolicyInfo* find_policy(XPolicyType type) {
    if (type == kPolicyUnknown) return nullptr;
    for (const detail::Registration* link = g_first; link != nullptr; link = link->next) {
        if (link->info.type == type) return &link->info;
    }
    return nullptr;
}

}  // namespace xsched::policy
