// Set if this test was compiled under a sanitizer, which makes it twenty times as slow. A check that is repeated with
// other numbers then takes only a few of them: a sanitizer looks at the code's behaviour, not at figures.
#pragma once

namespace xsched::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace xsched::test
