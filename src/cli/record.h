// xcli record: saves what xserver sees and decides for a while into a file that xsim can replay. Returns the exit
// status or throws Failure.
#pragma once

#include <string>

namespace xsched::cli {

struct RecordWords {
    std::string file;
    std::string time = "10s";
};
int record(const RecordWords& words, bool json);

}  // namespace xsched::cli
