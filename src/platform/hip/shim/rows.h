// Copies of rows, in pieces of whole rows (stream/shim/copies.h).
#pragma once

#include "platform/stream/shim/copies.h"

namespace xsched::hip {

struct Rows {
    void* to;
    size_t to_pitch;
    const void* from;
    size_t from_pitch, width, height;

    // Returns whether the copy may be taken apart: it has several rows, and the runtime cannot refuse its sizes.
    bool plain() const { return height > 1 && width > 0 && to_pitch >= width && from_pitch >= width; }
    stream::CopyShape shape() const {
        return {{stream::address_in(to), to_pitch}, {stream::address_in(from), from_pitch}, width, height};
    }
    // Removes the first `rows` rows from this object and returns them.
    Rows take(size_t rows) {
        Rows taken = *this;
        taken.height = rows;
        to = stream::of_piece(to, rows * to_pitch, 0);
        from = stream::of_piece(from, rows * from_pitch, 0);
        height -= rows;
        return taken;
    }
};

template <stream::EntryPoint kEntry, auto kWhole, typename Function = typename stream::Declared<kEntry>::Type>
struct InRows;

template <stream::EntryPoint kEntry, auto kWhole, typename... Rest>
struct InRows<kEntry, kWhole, hipError_t (*)(void*, size_t, const void*, size_t, size_t, size_t, Rest...)> {
    static hipError_t call(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                           Rest... rest) {
        const Rows rows{to, to_pitch, from, from_pitch, width, height};
        if (width * height <= stream::least_split_bytes() || !rows.plain() ||
            stream::driver<stream::kAtOnce<kEntry>>() == nullptr) [[likely]]
            return whole(rows, rest...);
        return split(rows, rest...);
    }

private:
    static hipError_t whole(const Rows& it, Rest... rest) {
        return kWhole(it.to, it.to_pitch, it.from, it.from_pitch, it.width, it.height, rest...);
    }
    [[gnu::noinline]] static hipError_t split(Rows left, Rest... rest) {
        stream::Split pieces;
        if (!pieces.begin(stream::stream_in(rest...), stream::Declared<kEntry>::kPerThread, left.shape()))
            return whole(left, rest...);
        for (;;) {
            const size_t wanted = std::max<size_t>(pieces.next() / left.width, 1);
            const bool last = pieces.next() == 0 || wanted >= left.height;
            const Rows part = left.take(last ? left.height : wanted);
            if (last && stream::kAtOnce<kEntry> != kEntry) return whole(part, rest...);
            const hipError_t code =
                stream::launch_piece<kEntry>({pieces.kind(), part.width * part.height}, part.to, part.to_pitch,
                                             part.from, part.from_pitch, part.width, part.height, rest...);
            if (last || code != hipSuccess) return code;
        }
    }
};

}  // namespace xsched::hip
