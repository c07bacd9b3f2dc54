// SHA-256 and HMAC-SHA-256 (FIPS 180-4, RFC 2104), compatible with browsers' crypto.subtle. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace xsched::cli {

using Sha256 = std::array<uint8_t, 32>;

Sha256 sha256(std::string_view text);
Sha256 hmac_sha256(std::string_view key, std::string_view text);

// Returns two lowercase hexadecimal digits for each byte.
std::string hex_of(const uint8_t* bytes, size_t count);

}  // namespace xsched::cli
