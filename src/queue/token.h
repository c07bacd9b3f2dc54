// XqToken's bits: 15 covers | 32 generation | 16 queue index, never 0; with the top bit set it is the address of a
// command that is waited for by itself (command.h).
#pragma once

#include <cstdint>
#include <limits>

#include "queue/ticket.h"

namespace xsched::queue {

// The top bit.
inline constexpr XqToken kCommandToken = XqToken{1} << (std::numeric_limits<XqToken>::digits - 1);

constexpr uint32_t token_covers(XqToken token) { return static_cast<uint32_t>((token & ~kCommandToken) >> 48); }
inline constexpr uint32_t kMostCovered = token_covers(~XqToken{0});

inline XqToken pack_token(uint32_t index, uint32_t generation, uint32_t covers) {
    return (XqToken{covers} << 48) | (XqToken{generation} << 16) | index;
}
inline uint32_t token_index(XqToken token) { return token & 0xffff; }
inline uint32_t token_generation(XqToken token) { return static_cast<uint32_t>(token >> 16); }

}  // namespace xsched::queue
