// How often this test program has allocated memory so far. Any thread.
#pragma once

namespace xsched::dispatch::testing {

long allocations();

}  // namespace xsched::dispatch::testing
