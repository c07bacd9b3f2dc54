// Sums and products of numbers from outside, which may be as large as their type allows. Pure; any thread.
#pragma once

#include <concepts>
#include <limits>

namespace xsched::base {

// Adds two numbers that are not negative. If the sum is too large for the type, returns the type's largest number.
template <std::integral T>
constexpr T capped_sum(T one, T other) {
    T sum = 0;
    return __builtin_add_overflow(one, other, &sum) ? std::numeric_limits<T>::max() : sum;
}

template <std::integral T>
constexpr T capped_product(T one, T other) {
    T product = 0;
    return __builtin_mul_overflow(one, other, &product) ? std::numeric_limits<T>::max() : product;
}

}  // namespace xsched::base
