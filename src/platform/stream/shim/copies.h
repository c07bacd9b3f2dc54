// Copies in pieces. While a more urgent program may come, a large copy goes to the driver as several commands of the
// same stream, each behind a gate. So the device is never in the middle of more than one of them. Contents, order,
// events and the return of the call are as natively. Copies for which something would differ go whole: memory that the
// driver does not know as one range, managed memory, ranges that overlap, captured streams. Without rivals a copy costs
// one more comparison. On the caller's thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "base/no_copies.h"
#include "base/options.h"
#include "platform/stream/shim/address.h"
#include "platform/stream/shim/launch.h"
#include "platform/stream/shim/memory.h"

namespace xsched::stream {

// A side of a copy: where its first row begins, and how many bytes behind it the next row.
struct CopySide {
    uintptr_t address = 0;
    uint64_t pitch = 0;
};

// The two sides of a copy: `rows` of `width` bytes each; a plain copy has one row.
struct CopyShape {
    CopySide to;
    CopySide from;
    uint64_t width = 0;
    uint64_t rows = 1;

    uint64_t bytes() const { return width * rows; }
    uint64_t extent(const CopySide& side) const { return (rows - 1) * side.pitch + width; }
};

// Returns the size below which copies are never split.
inline uint64_t least_split_bytes() {
    constexpr uint64_t kUsual = uint64_t{1024} * 1024;
    constexpr int64_t kAsThePlatform = -2;
    const int64_t wanted = base::options().copy_piece;
    if (wanted < 0 && (wanted != kAsThePlatform || !kCopiesInPieces)) return UINT64_MAX;
    return wanted > 0 ? static_cast<uint64_t>(wanted) : kUsual;
}

// A copy that the calling thread is launching in pieces. (copies.cpp)
class Split : base::NoCopies {
public:
    Split() = default;
    ~Split();
    // Begins to split the copy. Returns false if it must go whole.
    bool begin(Stream stream, bool per_thread, const CopyShape& copy);
    // Begins to split a call that makes `count` copies. Returns false if all of them must go whole.
    using ShapeOf = CopyShape (*)(const void* data, size_t which);
    bool begin(Stream stream, bool per_thread, size_t count, ShapeOf shape_of, const void* data);
    // Returns how many bytes go next; 0: all the rest.
    uint64_t next() const { return xq_copy_piece(xqueue_, kind_, bytes_); }
    XqCopyKind kind() const { return kind_; }

private:
    bool keep_others_out(StreamEntry& entry);
    bool try_keep_others_out(StreamEntry& entry);
    void let_others_in();

    static constexpr unsigned kMost = 128;  // streams that are ordered with the copy's own
    XqQueue* xqueue_ = nullptr;
    XqCopyKind kind_ = kXqCopyKinds;
    uint64_t bytes_ = 0;
    bool begun_ = false;
    unsigned count_ = 0;
    XqQueue* held_[kMost];
};

// --- plain copies: (to, ..., from, ..., bytes, ...)
template <typename T, typename... Of>
inline constexpr bool kIsOneOf = std::disjunction_v<std::is_same<T, Of>...>;
template <typename T>
inline constexpr bool kIsAddress = kIsOneOf<T, void*, const void*, DevicePtr>;  // HIP's DevicePtr is void*

template <typename... Arguments>
CopyShape plain_copy(Arguments... arguments) {
    CopyShape copy;
    unsigned addresses = 0;
    const auto note = [&](auto argument) {
        using Argument = decltype(argument);
        if constexpr (kIsAddress<Argument>) {
            (addresses == 0 ? copy.to : copy.from).address = address_in(argument);
            ++addresses;
        } else if constexpr (std::is_same_v<Argument, size_t>) {
            copy.width = argument;
        }
    };
    (note(arguments), ...);
    return copy;
}

// Returns an argument for the piece that begins at `done`.
template <typename Argument>
Argument of_piece(Argument argument, uint64_t done, uint64_t bytes) {
    if constexpr (std::is_pointer_v<Argument> && kIsAddress<Argument>)
        return std::bit_cast<Argument>(std::bit_cast<uintptr_t>(argument) + done);
    else if constexpr (kIsAddress<Argument>)
        return argument + done;
    else if constexpr (std::is_same_v<Argument, size_t>)
        return bytes;
    else
        return argument;
}

// The function that does the same as a copy that waits, but returns at once (the platform's shapes.h defines it). It
// may take a stream as another argument, which is NULL then.
template <EntryPoint kEntry>
inline constexpr EntryPoint kAtOnce = kEntry;

// Launches a piece that is not the last one.
template <EntryPoint kEntry, typename... Arguments>
Result launch_piece(const XqPiece& piece, Arguments... arguments) {
    const Stream stream = stream_in(arguments...);
    if (base::log_enabled(base::LogLevel::kDebug)) [[unlikely]]
        trace_launch<kEntry>(nullptr, stream, arguments...);
    WatchedLaunch launch(stream, Declared<kEntry>::kPerThread, piece);
    launch.note_copy(piece.bytes);
    const auto function = driver<kAtOnce<kEntry>>();
    Result code = kSuccess;
    if constexpr (std::is_invocable_v<decltype(function), Arguments...>)
        code = function(arguments...);
    else
        code = function(arguments..., Stream{});
    launch.returned(code);
    return code;
}

// Hooks a copy. kWhole: the hook for copies that go whole. If the call waits, the last piece's call does.
template <EntryPoint kEntry, auto kWhole, typename Function = typename Declared<kEntry>::Type>
struct InPieces;

template <EntryPoint kEntry, auto kWhole, typename... Arguments>
struct InPieces<kEntry, kWhole, Result (*)(Arguments...)> {
    static Result call(Arguments... arguments) {
        const CopyShape copy = plain_copy(arguments...);
        if (copy.width <= least_split_bytes() || driver<kAtOnce<kEntry>>() == nullptr) [[likely]]
            return kWhole(arguments...);
        return split(copy, arguments...);
    }

private:
    [[gnu::noinline]] static Result split(const CopyShape& copy, Arguments... arguments) {
        Split pieces;
        if (!pieces.begin(stream_in(arguments...), Declared<kEntry>::kPerThread, copy)) return kWhole(arguments...);
        for (uint64_t done = 0;;) {
            const uint64_t left = copy.width - done;
            const uint64_t next = pieces.next();
            if (next == 0 || next >= left) return last(pieces, done, left, arguments...);
            const Result code = launch_piece<kEntry>({pieces.kind(), next}, of_piece(arguments, done, next)...);
            if (code != kSuccess) return code;
            done += next;
        }
    }
    static Result last(const Split& pieces, uint64_t done, uint64_t left, Arguments... arguments) {
        if constexpr (kAtOnce<kEntry> == kEntry)
            return launch_piece<kEntry>({pieces.kind(), left}, of_piece(arguments, done, left)...);
        else
            return kWhole(of_piece(arguments, done, left)...);
    }
};

}  // namespace xsched::stream
