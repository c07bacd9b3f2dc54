// Set if this test, or the programs that it watches, were compiled under a sanitizer, which makes them twenty times as
// slow. A check that is repeated with other numbers then takes only a few of them: a sanitizer looks at the code's
// behaviour, not at figures.
#pragma once

namespace xsched::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(XSCHED_WATCHES_SANITIZED)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace xsched::test
