// A list that a program gives a driver, with entries of ours before and behind it, for the length of one call. A short
// one needs no memory of the heap. Keeps errno when it goes.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>

#include "base/no_copies.h"

namespace xsched::base {

// kFew: entries, with ours, that fit without the heap.
template <typename Entry, uint32_t kFew>
class ExtendedList : NoCopies {
public:
    ExtendedList() = default;
    ~ExtendedList() {
        if (many_ == nullptr) return;
        const int saved = errno;
        delete[] many_;
        errno = saved;
    }
    // Makes the list, once. `before`, `behind`: nullptr: none. Returns false if there is no memory for it.
    bool make(const Entry* before, const Entry* list, uint32_t count, const Entry* behind) {
        const size_t most = size_t{count} + 2;
        if (most > kFew) many_ = new (std::nothrow) Entry[most];
        list_ = most > kFew ? many_ : few_;
        if (list_ == nullptr) return false;
        if (before != nullptr) list_[count_++] = *before;
        for (uint32_t i = 0; i < count; ++i) list_[count_++] = list[i];
        if (behind != nullptr) list_[count_++] = *behind;
        return true;
    }
    Entry* list() const { return list_; }  // nullptr: it is not made
    uint32_t count() const { return count_; }

private:
    Entry few_[kFew];
    Entry* many_ = nullptr;
    Entry* list_ = nullptr;
    uint32_t count_ = 0;
};

}  // namespace xsched::base
