// Batches of copies, in pieces of whole entries; large entries in pieces of their own (copies.h).
#pragma once

#include "platform/stream/shim/copies.h"

namespace xsched::stream {

// The entries of a batch, and how far they are launched.
template <typename Address>
struct BatchOfCopies {
    Address* to;
    Address* from;
    size_t* bytes;
    size_t count;
    size_t entry = 0;  // the next one, and what of it is launched
    size_t done = 0;

    CopyShape shape(size_t which) const { return {{address_in(to[which])}, {address_in(from[which])}, bytes[which]}; }
    bool over() const { return entry == count; }
};

template <EntryPoint kEntry, auto kWhole, typename Function = typename Declared<kEntry>::Type>
struct InBatches;

// The hook of a function that launches many copies with one call (cuMemcpyBatchAsync). A small batch is passed on
// whole, a large one in several calls. Rest: the types of the function's last arguments. The last one is the stream. In
// the first version of the function, a pointer precedes it, through which the driver tells the index of a refused copy.
template <EntryPoint kEntry, auto kWhole, typename Address, typename... Rest>
struct InBatches<kEntry, kWhole, Result (*)(Address*, Address*, size_t*, size_t, void*, size_t*, size_t, Rest...)> {
    static Result call(Address* to, Address* from, size_t* bytes, size_t count, void* attributes,
                       size_t* attributes_from, size_t attribute_count, Rest... rest) {
        const Batch batch{to, from, bytes, count};
        // Only batches with one kind of access are split: otherwise each part would need its own list of where a kind
        // begins.
        if (to != nullptr && from != nullptr && bytes != nullptr && attribute_count == 1 && attributes != nullptr &&
            attributes_from != nullptr && total(batch) > least_split_bytes()) [[unlikely]]
            return split(batch, attributes, attributes_from, rest...);
        return kWhole(to, from, bytes, count, attributes, attributes_from, attribute_count, rest...);
    }

private:
    using Batch = BatchOfCopies<Address>;

    static uint64_t total(const Batch& batch) {
        uint64_t sum = 0;
        for (size_t i = 0; i < batch.count; ++i) sum += batch.bytes[i];
        return sum;
    }
    [[gnu::noinline]] static Result split(Batch batch, void* attributes, size_t* attributes_from, Rest... rest) {
        Split pieces;
        const auto shape_of = [](const void* data, size_t which) {
            return static_cast<const Batch*>(data)->shape(which);
        };
        if (!pieces.begin(stream_in(rest...), Declared<kEntry>::kPerThread, batch.count, shape_of, &batch))
            return kWhole(batch.to, batch.from, batch.bytes, batch.count, attributes, attributes_from, 1, rest...);
        for (;;) {
            const size_t first = batch.entry;
            const Result code = launch_next(batch, pieces, attributes, attributes_from, rest...);
            if (code != kSuccess) count_from(first, rest...);
            if (code != kSuccess || batch.over()) return code;
        }
    }
    // Makes the index of a refused copy, which the driver counts from `first`, count from the batch's first entry. The
    // largest number stands for no single copy.
    template <typename Stream>
    static void count_from(size_t first, size_t* index, Stream) {
        if (index != nullptr && *index < SIZE_MAX - first) *index += first;
    }
    template <typename Stream>
    static void count_from(size_t, Stream) {}
    // Launches as many entries as make a piece, at least one; or a part of one entry.
    static Result launch_next(Batch& batch, const Split& pieces, void* attributes, size_t* attributes_from,
                              Rest... rest) {
        const uint64_t most = pieces.next() != 0 ? pieces.next() : UINT64_MAX;
        const size_t left = batch.bytes[batch.entry] - batch.done;
        if (batch.done != 0 || left > most) {
            size_t bytes = std::min<uint64_t>(left, most);
            Address to = of_piece(batch.to[batch.entry], batch.done, bytes);
            Address from = of_piece(batch.from[batch.entry], batch.done, bytes);
            batch.done += bytes;
            if (batch.done == batch.bytes[batch.entry]) {
                ++batch.entry;
                batch.done = 0;
            }
            return launch_piece<kEntry>({pieces.kind(), bytes}, &to, &from, &bytes, size_t{1}, attributes,
                                        attributes_from, size_t{1}, rest...);
        }
        const size_t first = batch.entry;
        uint64_t bytes = 0;
        do bytes += batch.bytes[batch.entry++];
        while (!batch.over() && bytes + batch.bytes[batch.entry] <= most);
        return launch_piece<kEntry>({pieces.kind(), bytes}, batch.to + first, batch.from + first, batch.bytes + first,
                                    batch.entry - first, attributes, attributes_from, size_t{1}, rest...);
    }
};

}  // namespace xsched::stream
