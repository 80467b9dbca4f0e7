#include "app/cli/console.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

#include "engine/base/json.h"
#include "engine/base/mapping_guard.h"

namespace lanescope::cli {

namespace {

/// A signal handler can reach nothing else than a global.
CancelToken* g_cancel = nullptr;

void onSignal(int /*number*/) {
    if (g_cancel != nullptr) g_cancel->request();
}

}  // namespace

void installSignals(CancelToken& cancel) {
    g_cancel = &cancel;
    struct sigaction action {};
    action.sa_handler = onSignal;
    // The second Ctrl+C takes the default action.
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    installMappingGuard();
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, nullptr);
}

Result<void> print(std::string_view text) {
    errno = 0;
    const bool ok =
        std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (ok || errno == EPIPE) return {};
    const int err = errno;
    return ioError("cannot be written: " + std::error_code(err, std::generic_category()).message(),
                   "standard output");
}

Result<void> printJson(const nlohmann::ordered_json& value) {
    return print(dumpJson(value, 1) + "\n");
}

void note(const std::string& line) {
    std::string out = forTerminal(line);
    out += '\n';
    std::fwrite(out.data(), 1, out.size(), stderr);
}

bool stdoutIsTerminal() {
    return ::isatty(STDOUT_FILENO) == 1;
}

std::string forTerminal(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        // C1 controls (U+0080 … U+009F) are two bytes in UTF-8.
        const bool c1 =
            c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F || c1) {
            out += "\xEF\xBF\xBD";
            if (c1) ++i;
        } else {
            out += text[i];
        }
    }
    return out;
}

}  // namespace lanescope::cli
