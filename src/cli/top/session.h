// The effects of keys in xcli top: choosing, sorting, filtering, and changes that need a confirmation. Knows no
// terminal. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/hints.h"
#include "cli/top/screen.h"
#include "cli/top/view.h"

namespace xsched::cli {

class TopSession {
public:
    // Sends a request to the server and returns the answer. Throws Failure.
    using Ask = std::function<Json(const Json& request, const char* pages)>;

    // Acts on a process of this machine. Returns an errno; 0: it is done.
    struct Acts {
        std::function<int(int64_t pid, int signal)> send;
        std::function<int(int64_t pid, int nice)> renice;
    };
    static Acts real_acts();

    TopSession(Ask ask, TopView view, Acts acts = real_acts())
        : ask_(std::move(ask)), acts_(std::move(acts)), view_(std::move(view)) {}

    // Asks the server again. The last answer stays visible while the server does not answer.
    void look();
    bool is_away() const { return !away_.empty(); }
    // Returns why there is no answer; empty: there is one.
    const std::string& away() const { return away_; }
    // Handles a key. Returns false if the user wants to leave.
    bool press(int key);
    std::vector<TopLine> picture(size_t columns, size_t rows, bool utf8);
    const TopView& view() const { return view_; }

private:
    enum class Below { kNothing, kQueues, kExplanation };

    void take_look();
    bool answer_key(int key);
    bool answer_order_key(int key);
    void toggle_below(Below wanted);
    void click(size_t line);
    void choose(int step);
    // Drops the choice of a program that has ended or that the filter hides: orders reach visible programs alone.
    void drop_hidden_choice();
    const TopRow* chosen() const;
    // Returns the chosen program. If there is none, says so, or how to choose one.
    const TopRow* chosen_or_said();
    // Returns whether no program is shown, and says so then.
    bool shows_none();
    void show_below();
    // Lets the user type a line; `done` gets it at Enter.
    void begin_line(const std::string& question, const std::string& text, std::function<void(const std::string&)> done);
    bool edit_line(int key);
    // Asks the user; `done` is called if the answer is y.
    void ask_first(const std::string& question, std::function<void()> done);
    // Sends an order to the server. A refusal is shown in the last line.
    void order(const Json& request);
    // Asks for the value of a hint, which is called `what`.
    void ask_number(const char* what, base::HintId id);
    void ask_policy();
    void ask_suspension();
    void ask_signal(const char* what, int signal);
    void ask_nice();
    // Asks for a whole number in that range; `done` gets it.
    void begin_number(const std::string& question, int64_t least, int64_t most, std::function<void(int64_t)> done);

    Ask ask_;
    Acts acts_;
    std::vector<TopLine> shown_;  // the last picture
    TopView view_;
    TopRows rows_;
    Json answer_;
    Below below_ = Below::kNothing;
    std::string question_;  // the line or confirmation in progress; empty: none
    std::string line_;
    std::string told_;  // the result of the last order
    std::string away_;
    std::function<void(const std::string&)> line_done_;
    std::function<void()> yes_;
};

}  // namespace xsched::cli
