#include "shim/stream/ordered.h"

namespace xsched::stream {

ContextMarks::ContextMarks(Context context) {
    if (context == nullptr) context = current_context(*hal_api());
    for_each_entry([&](StreamEntry& entry) {
        if (count_ == kMost || entry.context.load(std::memory_order_relaxed) != context) return;
        marks_[count_] = mark_of(&entry);
        if (marks_[count_].entry != nullptr) ++count_;
    });
}

void ContextMarks::completed() const {
    for (unsigned i = 0; i < count_; ++i) completed_up_to(marks_[i]);
}

}  // namespace xsched::stream
