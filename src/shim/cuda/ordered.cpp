#include "shim/cuda/ordered.h"

namespace xsched::cuda {

ContextMarks::ContextMarks(CUcontext context) {
    if (context == nullptr) driver<kEntry_cuCtxGetCurrent>()(&context);
    for_each_entry([&](StreamEntry& entry) {
        if (count_ == kMost || entry.context.load(std::memory_order_relaxed) != context) return;
        marks_[count_] = mark_of(&entry);
        if (marks_[count_].entry != nullptr) ++count_;
    });
}

void ContextMarks::completed() const {
    for (unsigned i = 0; i < count_; ++i) completed_up_to(marks_[i]);
}

}  // namespace xsched::cuda
