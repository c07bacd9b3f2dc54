// The command web.
#include <memory>

#include "cli/commands.h"
#include "cli/web/web.h"

namespace xsched::cli {

void add_web(CLI::App& app, Words& words) {
    const auto given = std::make_shared<WebWords>();
    CLI::App* page =
        add_command(app, words, "web", "serve a page that shows and steers all this, and an HTTP API for tools",
                    [&words, given] { return web(*given, words.json); });
    page->add_option("--listen", given->listen,
                     "only at this Unix socket or 127.0.0.1:PORT; several times: at all of them");
    page->add_option("--token-file", given->token_file,
                     "where to write the token to ask for, a new one at each start (otherwise: in the address)")
        ->check(not_empty("the file"));
    page->add_flag("--openapi", given->openapi, "print what the API has, as OpenAPI 3.0");
}

}  // namespace xsched::cli
