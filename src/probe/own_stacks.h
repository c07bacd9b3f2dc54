// A thread that gets SIGUSR1 writes its own stack to standard error: xcli asks so before it ends a trial that hangs.
#pragma once

namespace xsched::probe {

void tell_stacks_when_asked();

}  // namespace xsched::probe
