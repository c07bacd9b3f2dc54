#include "platform/levelzero/hal/flight.h"

namespace xsched::levelzero {

bool Flight::add(Mark* mark) {
    mark->state.store(kOnItsWay, std::memory_order_relaxed);
    mark->next = nullptr;
    base::Lock lock(mutex_);
    mark->number = ++numbers_;
    (last_ != nullptr ? last_->next : first_) = mark;
    last_ = mark;
    return first_ == mark;
}

Mark* Flight::first() {
    base::Lock lock(mutex_);
    return first_;
}

Mark* Flight::behind(const Mark* mark) {
    base::Lock lock(mutex_);
    return mark->next;
}

Mark* Flight::remove(Mark* before, Mark* mark) {
    base::Lock lock(mutex_);
    Mark* const behind = mark->next;
    (before != nullptr ? before->next : first_) = behind;
    if (last_ == mark) last_ = before;
    return behind;
}

uint64_t Flight::last_number() {
    base::Lock lock(mutex_);
    return numbers_;
}

uint64_t Flight::passed() {
    base::Lock lock(mutex_);
    return first_ != nullptr ? first_->number - 1 : numbers_;
}

}  // namespace xsched::levelzero
