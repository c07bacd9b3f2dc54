// The common part of the tests that compare our declarations of a vendor's functions with the vendor's: the kind of an
// argument for the calling convention, and to the eye of a person who looks for swapped ones. Enumerations count as
// int; what becomes of a pointer, each vendor's test says (Plain<T*>).
#pragma once

#include <type_traits>

template <typename T>
struct Plain {
    using Type = T;
};
template <typename T>
    requires std::is_enum_v<T>
struct Plain<T> {
    using Type = int;
};
struct Void {
    using Type = void;
};

template <typename Function>
struct Signature;
template <typename Result, typename... Arguments>
struct Signature<Result (*)(Arguments...)> {
    using Type = typename Plain<Result>::Type (*)(typename Plain<std::remove_const_t<Arguments>>::Type...);
};

template <typename Theirs, typename Ours>
constexpr bool kSame = std::is_same_v<typename Signature<Theirs>::Type, typename Signature<Ours>::Type>;

#define SAME_VALUE(name) static_assert(static_cast<long>(::name) == static_cast<long>(ours::name));
