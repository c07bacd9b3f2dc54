// xcli top: the loop of looks, keys and pictures.
#include "cli/top/top.h"

#include <unistd.h>

#include <optional>

#include "base/time.h"
#include "cli/show.h"
#include "cli/stop_signals.h"
#include "cli/time_text.h"
#include "cli/top/session.h"

namespace xsched::cli {
namespace {

// `word`: one of top_sort_words.
TopSort sort_of(const std::string& word) {
    const std::vector<std::string> known = top_sort_words();
    return static_cast<TopSort>(std::find(known.begin(), known.end(), word) - known.begin());
}

int print_once(ServerLink& link, const TopView& view, bool json) {
    TopRows rows;
    rows.take(ask_all(link, {{"cmd", "programs"}, {"buckets", true}}, "programs"));
    if (!json) {
        print(top_text(rows, view));
        return 0;
    }
    Json programs = Json::array();
    for (const TopRow& row : rows.sorted(view.sort, view.reverse, view.filter)) programs.push_back(top_json(row));
    print(
        Json{{"ok", true}, {"policy", rows.policy()}, {"devices", devices_json(rows)}, {"programs", programs}}.dump(2) +
        "\n");
    return 0;
}

#ifndef XSCHED_NO_CURSES
// A link that connects again at each look if the server has been replaced.
class LinkForLong {
public:
    Json ask(const Json& request, const char* pages) {
        if (!link_) link_.emplace();
        try {
            return pages != nullptr ? ask_all(*link_, request, pages) : link_->ask(request);
        } catch (const NoServer&) {
            link_.reset();
            throw;
        }
    }

private:
    std::optional<ServerLink> link_;
};

int show_live(const TopView& view, int64_t interval_ns) {
    LinkForLong link;
    TopSession session([&link](const Json& request, const char* pages) { return link.ask(request, pages); }, view);
    session.look();
    if (session.is_away()) throw NoServer(session.away());
    TopScreen screen;
    stop_on_signals();
    int64_t next_ns = base::now_ns() + interval_ns;
    while (!told_to_stop()) {
        screen.draw(session.picture(screen.columns(), screen.rows(), screen.utf8()));
        const int64_t left_ns = std::max<int64_t>(next_ns - base::now_ns(), 0);
        const int key = screen.key(static_cast<int>(left_ns / base::kMillisecond) + 1);
        if (!session.press(key)) break;
        if (base::now_ns() < next_ns) continue;
        session.look();
        next_ns = base::now_ns() + interval_ns;
    }
    return 0;
}
#endif

}  // namespace

int show_top(const TopWords& words, bool json) {
    TopView view;
    view.sort = sort_of(words.sort);
    view.filter = words.filter;
#ifndef XSCHED_NO_CURSES
    if (!json && !words.once && isatty(STDOUT_FILENO) == 1 && isatty(STDIN_FILENO) == 1)
        return show_live(
            view, words.frequency > 0 ? static_cast<int64_t>(1e9 / words.frequency) : interval_in_ns(words.interval));
#endif
    ServerLink link;
    return print_once(link, view, json);
}

}  // namespace xsched::cli
