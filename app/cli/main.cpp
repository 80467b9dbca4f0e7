// Entry of lanescope-cli: parse, run, turn an error into one line and an exit status.

#include <exception>
#include <new>

#include "app/cli/arguments.h"
#include "app/cli/console.h"

namespace {

int fail(const lanescope::Error& error) {
    lanescope::cli::note("error: " + error.toString());
    return error.exitCode();
}

}  // namespace

int main(int argc, char** argv) {
    static lanescope::CancelToken cancel;
    lanescope::cli::installSignals(cancel);
    try {
        const auto command = lanescope::cli::parseArguments(argc, argv);
        if (!command) return fail(command.error());
        const auto status = (*command)(cancel);
        return status ? *status : fail(status.error());
    } catch (const std::bad_alloc&) {
        return fail(lanescope::outOfMemory("the machine has no memory left"));
    } catch (const std::exception& e) {
        return fail(lanescope::internalError(std::string("unexpected failure: ") + e.what()));
    }
}
