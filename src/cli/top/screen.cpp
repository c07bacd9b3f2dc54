// Uses ncurses, whose macros have common names, so no other file includes it.
#define NCURSES_NOMACROS 1
#include "cli/top/screen.h"

#include <langinfo.h>
#include <ncurses.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <cstring>

#include "console/columns.h"

namespace xsched::cli {
namespace {

enum Pair : short { kRed = 1, kGreen, kMagenta };

int attributes_of(TopMark mark, bool colours) {
    switch (mark) {
        case TopMark::kPlain: return A_NORMAL;
        case TopMark::kHeading: return A_BOLD;
        case TopMark::kChosen: return A_REVERSE;
        case TopMark::kHeld: return colours ? COLOR_PAIR(kRed) : A_BOLD;
        case TopMark::kStopped: return colours ? COLOR_PAIR(kMagenta) : A_BOLD;
        case TopMark::kRuns: return colours ? COLOR_PAIR(kGreen) : A_NORMAL;
        case TopMark::kIdle: return A_DIM;
        case TopMark::kKeys: return A_BOLD;
    }
    return A_NORMAL;
}

}  // namespace

TopScreen::TopScreen() {
    setlocale(LC_CTYPE, "");
    utf8_ = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    const char* kind = getenv("TERM");
    const auto refuse = [kind] {
        throw Failure(std::string("the terminal (TERM=") + (kind != nullptr ? kind : "") +
                      ") cannot be drawn on: use xcli top --once");
    };
    SCREEN* const screen = newterm(nullptr, stdout, stdin);
    if (screen == nullptr) refuse();
    char name[] = "cup";
    if (tigetstr(name) == nullptr) {  // its cursor cannot be moved (TERM=dumb)
        endwin();
        delscreen(screen);
        refuse();
    }
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
    mousemask(BUTTON1_CLICKED | BUTTON1_PRESSED | BUTTON1_DOUBLE_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED, nullptr);
    mouseinterval(0);
    const char* none = getenv("NO_COLOR");
    colours_ = (none == nullptr || *none == '\0') && has_colors();
    if (!colours_) return;
    start_color();
    use_default_colors();
    init_pair(kRed, COLOR_RED, -1);
    init_pair(kGreen, COLOR_GREEN, -1);
    init_pair(kMagenta, COLOR_MAGENTA, -1);
}

TopScreen::~TopScreen() { endwin(); }

void TopScreen::draw(const std::vector<TopLine>& lines) const {
    erase();
    for (size_t i = 0; i < lines.size(); ++i) {
        const int attributes = attributes_of(lines[i].mark, colours_);
        attrset(attributes);
        std::string text = lines[i].text;
        // The chosen line is marked over its whole width. A character at the window's last place would scroll the
        // window.
        if (lines[i].mark == TopMark::kChosen) text = console::left(text, columns());
        mvaddnstr(static_cast<int>(i), 0, text.c_str(), static_cast<int>(text.size()));
    }
    attrset(A_NORMAL);
    refresh();
}

int TopScreen::key(int timeout_ms) {
    timeout(timeout_ms);
    const int key = getch();
    switch (key) {
        case KEY_MOUSE: return mouse_key();
        case ERR: return kNoKey;
        case KEY_UP: return kKeyUp;
        case KEY_DOWN: return kKeyDown;
        case KEY_PPAGE: return kKeyPageUp;
        case KEY_NPAGE: return kKeyPageDown;
        case KEY_ENTER:
        case '\r':
        case '\n': return kKeyEnter;
        case KEY_BACKSPACE:
        case 127:
        case '\b': return kKeyErase;
        case 27: return kKeyEscape;
        case KEY_RESIZE: return kKeyResized;
        default: return key < 256 ? key : kKeyEscape;
    }
}

// Returns the key that the mouse stands for: its wheel chooses, a click chooses that line.
int TopScreen::mouse_key() {
    MEVENT event{};
    if (getmouse(&event) != OK) return kNoKey;
    if ((event.bstate & BUTTON4_PRESSED) != 0) return kKeyUp;
    if ((event.bstate & BUTTON5_PRESSED) != 0) return kKeyDown;
    return event.y >= 0 ? kKeyClick + event.y : kNoKey;
}

size_t TopScreen::columns() const { return static_cast<size_t>(getmaxx(stdscr)); }
size_t TopScreen::rows() const { return static_cast<size_t>(getmaxy(stdscr)); }

}  // namespace xsched::cli
