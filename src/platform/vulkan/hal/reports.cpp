#include "platform/vulkan/hal/reports.h"

#include <new>

namespace xsched::vulkan {

bool Reports::grow() {
    const uint32_t size = size_ == 0 ? kFirstRows : size_ * 2;
    auto* rows = new (std::nothrow) Row[size];
    if (rows == nullptr) return false;
    for (uint32_t i = 0; i < count_; ++i) rows[i] = rows_[(first_ + i) & (size_ - 1)];
    delete[] rows_;
    rows_ = rows;
    size_ = size;
    first_ = 0;
    return true;
}

bool Reports::add(uint64_t value, XqToken token) {
    base::Lock lock(mutex_);
    if (count_ == size_ && !grow()) return false;
    rows_[(first_ + count_++) & (size_ - 1)] = {value, token};
    return true;
}

XqToken Reports::take(uint64_t value) {
    base::Lock lock(mutex_);
    if (count_ == 0 || rows_[first_].value > value) return 0;
    const XqToken token = rows_[first_].token;
    first_ = (first_ + 1) & (size_ - 1);
    --count_;
    return token;
}

uint64_t Reports::oldest() {
    base::Lock lock(mutex_);
    return count_ != 0 ? rows_[first_].value : 0;
}

}  // namespace xsched::vulkan
