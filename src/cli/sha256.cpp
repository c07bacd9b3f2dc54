#include "cli/sha256.h"

#include <bit>
#include <cstring>

namespace xsched::cli {
namespace {

constexpr size_t kBlock = 64;  // bytes processed at a time

constexpr uint32_t kRounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

struct State {
    uint32_t words[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
};

void expand(const char* block, uint32_t (&w)[64]) {
    for (size_t i = 0; i < 16; ++i) {
        w[i] = 0;
        for (size_t byte = 0; byte < 4; ++byte) w[i] = w[i] << 8 | static_cast<uint8_t>(block[4 * i + byte]);
    }
    for (size_t i = 16; i < 64; ++i) {
        const uint32_t a = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
        const uint32_t b = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
}

void mix(State& state, const char* block) {
    uint32_t w[64];
    expand(block, w);
    uint32_t v[8];
    memcpy(v, state.words, sizeof(v));
    for (size_t i = 0; i < 64; ++i) {
        const uint32_t s1 = std::rotr(v[4], 6) ^ std::rotr(v[4], 11) ^ std::rotr(v[4], 25);
        const uint32_t one = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + kRounds[i] + w[i];
        const uint32_t s0 = std::rotr(v[0], 2) ^ std::rotr(v[0], 13) ^ std::rotr(v[0], 22);
        const uint32_t two = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof(*v));
        v[4] += one;
        v[0] = one + two;
    }
    for (size_t i = 0; i < 8; ++i) state.words[i] += v[i];
}

}  // namespace

Sha256 sha256(std::string_view text) {
    std::string padded(text);
    padded += '\x80';
    padded.resize((padded.size() + 8 + kBlock - 1) / kBlock * kBlock, '\0');
    for (size_t i = 0; i < 8; ++i)
        padded[padded.size() - 1 - i] = static_cast<char>(uint64_t{text.size()} * 8 >> 8 * i);
    State state;
    for (size_t at = 0; at < padded.size(); at += kBlock) mix(state, padded.data() + at);
    Sha256 result;
    for (size_t i = 0; i < result.size(); ++i)
        result[i] = static_cast<uint8_t>(state.words[i / 4] >> (24 - 8 * (i % 4)));
    return result;
}

Sha256 hmac_sha256(std::string_view key, std::string_view text) {
    std::string block(key);
    if (key.size() > kBlock) {
        const Sha256 shorter = sha256(key);
        block.assign(shorter.begin(), shorter.end());
    }
    block.resize(kBlock, '\0');
    std::string inner = block;
    std::string outer = block;
    for (char& letter : inner) letter = static_cast<char>(letter ^ 0x36);
    for (char& letter : outer) letter = static_cast<char>(letter ^ 0x5c);
    const Sha256 first = sha256(inner.append(text));
    return sha256(outer.append(first.begin(), first.end()));
}

std::string hex_of(const uint8_t* bytes, size_t count) {
    constexpr char kLetters[] = "0123456789abcdef";
    std::string text;
    for (size_t i = 0; i < count; ++i) {
        text += kLetters[bytes[i] >> 4];
        text += kLetters[bytes[i] & 15];
    }
    return text;
}

}  // namespace xsched::cli
