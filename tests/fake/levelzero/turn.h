// One device for several processes (FAKE_ZE_SHARED): the thread that has the turn has the device.
#pragma once

#include "fake/levelzero/settings.h"
#include "fake/shared_device.h"

namespace fake {

class Turn : xsched::base::NoCopies {
public:
    Turn() { device().take(); }
    ~Turn() { device().give(); }

private:
    static const SharedDevice& device() {
        thread_local const SharedDevice it(g_settings.shared);
        return it;
    }
};

}  // namespace fake
