// xcli windows: tells the server whose window is active, for policy AWF, until it is ended. Needs no root.
#pragma once

namespace xsched::cli {

struct WindowsWords {
    int display = 1;  // as hint --window has it
};

// Follows the active window of X11 by xprop, or of sway by swaymsg. Prints a line for each change. Returns 0 once told
// to stop, or when the window system ends. Throws Failure if the display does not tell which window is active.
int follow_windows(const WindowsWords& words, bool json);

}  // namespace xsched::cli
