// Nodes found by their event: a table of lists. Guarded by its user's lock; `many` may be read without.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/no_copies.h"
#include "platform/opencl/hal/api.h"

namespace xsched::opencl {

// Node: has `Node* next` and `cl_event event`.
template <typename Node>
class EventRows : base::NoCopies {
public:
    constexpr EventRows() = default;

    bool any() const { return many_.load(std::memory_order_relaxed) != 0; }
    void add(Node* node) {
        Node*& row = rows_[row_of(node->event)];
        node->next = row;
        row = node;
        many_.fetch_add(1, std::memory_order_relaxed);
    }
    Node* find(cl_event event) const {
        Node* it = rows_[row_of(event)];
        while (it != nullptr && it->event != event) it = it->next;
        return it;
    }
    // `node` is there.
    void remove(const Node* node) {
        Node** link = &rows_[row_of(node->event)];
        while (*link != node) link = &(*link)->next;
        *link = node->next;
        many_.fetch_sub(1, std::memory_order_relaxed);
    }

private:
    static constexpr size_t kRows = 256;  // with so many standing commands one is still found in a step or two
    static size_t row_of(cl_event event) { return reinterpret_cast<uintptr_t>(event) / alignof(max_align_t) % kRows; }

    Node* rows_[kRows] = {};
    std::atomic<uint32_t> many_{0};
};

}  // namespace xsched::opencl
