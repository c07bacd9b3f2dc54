#include "policy/policy.h"

namespace xsched::policy {

namespace {

// The list of policies. Changed while libraries are loaded (by one thread at a time), later only read.
constinit const detail::Registration* g_first = nullptr;

// Lowers ASCII letters only: policies' names are ASCII, and the program's locale must not change their meaning.
int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : static_cast<unsigned char>(c); }

int compare_names(const char* a, const char* b) {
    while (*a != '\0' && lower(*a) == lower(*b)) {
        ++a;
        ++b;
    }
    return lower(*a) - lower(*b);
}

// Returns the policy that follows `name` in alphabetical order (the first, if null). The list is in link order, which
// differs between builds; it is too short for sorting to be worth memory.
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
