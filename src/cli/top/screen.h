// xcli top's terminal: draws pictures and takes keys. One at a time.
#pragma once

#include "base/no_copies.h"
#include "cli/top/view.h"

namespace xsched::cli {

// The keys beyond letters.
enum TopKey : int {
    kNoKey = -1,
    kKeyUp = 256,
    kKeyDown,
    kKeyPageUp,
    kKeyPageDown,
    kKeyEnter,
    kKeyEscape,
    kKeyErase,
    kKeyResized,
    kKeyClick  // on the first line; the following numbers: on the lines below
};

// Shows our page on the terminal during its life, and restores the terminal afterwards.
class TopScreen : base::NoCopies {
public:
    // Throws Failure if the terminal cannot be drawn on.
    TopScreen();
    ~TopScreen();

    void draw(const std::vector<TopLine>& lines) const;
    // Returns a letter, a TopKey, a click, or kNoKey after that time or after a signal.
    int key(int timeout_ms);
    size_t columns() const;
    size_t rows() const;
    bool utf8() const { return utf8_; }

private:
    int mouse_key();

    bool colours_ = false;
    bool utf8_ = false;
};

}  // namespace xsched::cli
