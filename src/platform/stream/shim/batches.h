// Batches of copies, in pieces of whole entries; large entries in pieces of their own (stream/shim/copies.h).
#pragma once

#include "platform/stream/shim/copies.h"

namespace xsched::cuda {

// The entries of a batch, and how far they are launched.
struct BatchOfCopies {
    CUdeviceptr* to;
    CUdeviceptr* from;
    size_t* bytes;
    size_t count;
    size_t entry = 0;  // the next one, and what of it is launched
    size_t done = 0;

    stream::CopyShape shape(size_t which) const { return {to[which], from[which], bytes[which]}; }
    bool over() const { return entry == count; }
};

template <stream::EntryPoint kEntry, auto kWhole, typename Function = typename stream::Declared<kEntry>::Type>
struct InBatches;

// Rest: where the driver says which entry it refuses (in the first version), and the stream.
template <stream::EntryPoint kEntry, auto kWhole, typename... Rest>
struct InBatches<kEntry, kWhole,
                 CUresult (*)(CUdeviceptr*, CUdeviceptr*, size_t*, size_t, void*, size_t*, size_t, Rest...)> {
    static CUresult call(CUdeviceptr* to, CUdeviceptr* from, size_t* bytes, size_t count, void* attributes,
                         size_t* attributes_from, size_t attribute_count, Rest... rest) {
        const BatchOfCopies batch{to, from, bytes, count};
        // Entries of one kind of access alone: else each part would need its own list of where a kind begins.
        if (to != nullptr && from != nullptr && bytes != nullptr && attribute_count == 1 && attributes != nullptr &&
            attributes_from != nullptr && total(batch) > stream::least_split_bytes()) [[unlikely]]
            return split(batch, attributes, attributes_from, rest...);
        return kWhole(to, from, bytes, count, attributes, attributes_from, attribute_count, rest...);
    }

private:
    static uint64_t total(const BatchOfCopies& batch) {
        uint64_t sum = 0;
        for (size_t i = 0; i < batch.count; ++i) sum += batch.bytes[i];
        return sum;
    }
    [[gnu::noinline]] static CUresult split(BatchOfCopies batch, void* attributes, size_t* attributes_from,
                                            Rest... rest) {
        stream::Split pieces;
        const auto shape_of = [](const void* data, size_t which) {
            return static_cast<const BatchOfCopies*>(data)->shape(which);
        };
        if (!pieces.begin(stream::stream_in(rest...), stream::Declared<kEntry>::kPerThread, batch.count, shape_of,
                          &batch))
            return kWhole(batch.to, batch.from, batch.bytes, batch.count, attributes, attributes_from, 1, rest...);
        for (;;) {
            const CUresult code = launch_next(batch, pieces, attributes, attributes_from, rest...);
            if (code != CUDA_SUCCESS || batch.over()) return code;
        }
    }
    // As many entries as make a piece, at least one; or a part of one.
    static CUresult launch_next(BatchOfCopies& batch, const stream::Split& pieces, void* attributes,
                                size_t* attributes_from, Rest... rest) {
        const uint64_t most = pieces.next() != 0 ? pieces.next() : UINT64_MAX;
        const size_t left = batch.bytes[batch.entry] - batch.done;
        if (batch.done != 0 || left > most) {
            CUdeviceptr to = batch.to[batch.entry] + batch.done;
            CUdeviceptr from = batch.from[batch.entry] + batch.done;
            size_t bytes = std::min<uint64_t>(left, most);
            batch.done += bytes;
            if (batch.done == batch.bytes[batch.entry]) {
                ++batch.entry;
                batch.done = 0;
            }
            return stream::launch_piece<kEntry>({pieces.kind(), bytes}, &to, &from, &bytes, size_t{1}, attributes,
                                                attributes_from, size_t{1}, rest...);
        }
        const size_t first = batch.entry;
        uint64_t bytes = 0;
        do bytes += batch.bytes[batch.entry++];
        while (!batch.over() && bytes + batch.bytes[batch.entry] <= most);
        return stream::launch_piece<kEntry>({pieces.kind(), bytes}, batch.to + first, batch.from + first,
                                            batch.bytes + first, batch.entry - first, attributes, attributes_from,
                                            size_t{1}, rest...);
    }
};

}  // namespace xsched::cuda
