// Chooses at random which operation a worker does next, and on which buffer.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "order/core/random.h"

namespace order {

// One of `rows`, by weight.
template <typename Row, typename Weight>
const Row& draw(std::span<const Row> rows, Random& random, Weight weight_of) {
    uint32_t all = 0;
    for (const Row& it : rows) all += weight_of(it);
    uint32_t dice = all > 0 ? random.below(all) : 0;
    for (const Row& it : rows) {
        if (dice < weight_of(it)) return it;
        dice -= weight_of(it);
    }
    return rows.front();
}

// Returns a locked buffer that no other thread is using; null if none was found quickly.
template <typename Buffer, typename Lock>
Buffer* take(const std::vector<std::unique_ptr<Buffer>>& list, Lock& lock, Random& random) {
    for (int tries = 0; tries < 8; ++tries) {
        Buffer& buffer = *list[random.below(static_cast<uint32_t>(list.size()))];
        Lock attempt(buffer.mutex, std::try_to_lock);
        if (!attempt.owns_lock()) continue;
        lock = std::move(attempt);
        return &buffer;
    }
    return nullptr;
}

}  // namespace order
