// A list of names with room for some of ours, such as a device's extensions. Allocates and never throws.
#pragma once

#include <cstdint>
#include <cstring>
#include <new>

#include "base/no_copies.h"

namespace xsched::vulkan {

class Names : base::NoCopies {
public:
    static constexpr uint32_t kOurs = 4;

    Names(const char* const* names, uint32_t count) : names_(new(std::nothrow) const char*[count + kOurs]) {
        for (uint32_t i = 0; names_ != nullptr && i < count; ++i) names_[i] = names[i];
        count_ = names_ != nullptr ? count : 0;
        most_ = count_ + kOurs;
    }
    ~Names() { delete[] names_; }

    bool has(const char* name) const {
        for (uint32_t i = 0; i < count_; ++i)
            if (std::strcmp(names_[i], name) == 0) return true;
        return false;
    }
    // Adds a name that lives as long as the program. Returns false if there is no memory.
    bool add(const char* name) {
        if (names_ == nullptr || count_ == most_) return false;
        if (!has(name)) names_[count_++] = name;
        return true;
    }

    const char* const* data() const { return names_; }
    uint32_t count() const { return count_; }

private:
    const char** names_;
    uint32_t count_ = 0;
    uint32_t most_ = 0;
};

}  // namespace xsched::vulkan
