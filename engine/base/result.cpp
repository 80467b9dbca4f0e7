#include "engine/base/result.h"

namespace lanescope {

std::string Error::toString() const {
    std::string out;
    if (!context.empty()) out += context + ": ";
    out += message;
    if (!nextStep.empty()) out += " (" + nextStep + ")";
    for (char& c : out) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
    return out;
}

int Error::exitCode() const {
    switch (code) {
        case ErrorCode::Usage:
            return 2;
        case ErrorCode::BadInput:
        case ErrorCode::Unsupported:
            return 3;
        case ErrorCode::OutOfMemory:
        case ErrorCode::NoDevice:
            return 4;
        case ErrorCode::Cancelled:
            return 5;
        case ErrorCode::Io:
        case ErrorCode::Internal:
            return 1;
    }
    return 1;
}

namespace {
Error make(ErrorCode code, std::string message, std::string context, std::string nextStep) {
    return Error{code, std::move(message), std::move(context), std::move(nextStep)};
}
}  // namespace

Error badInput(std::string message, std::string context, std::string nextStep) {
    return make(ErrorCode::BadInput, std::move(message), std::move(context), std::move(nextStep));
}
Error unsupported(std::string message, std::string context, std::string nextStep) {
    return make(ErrorCode::Unsupported, std::move(message), std::move(context),
                std::move(nextStep));
}
Error usageError(std::string message, std::string nextStep) {
    return make(ErrorCode::Usage, std::move(message), {}, std::move(nextStep));
}
Error outOfMemory(std::string message, std::string context, std::string nextStep) {
    return make(ErrorCode::OutOfMemory, std::move(message), std::move(context),
                std::move(nextStep));
}
Error ioError(std::string message, std::string context, std::string nextStep) {
    return make(ErrorCode::Io, std::move(message), std::move(context), std::move(nextStep));
}
Error cancelled(std::string message) {
    return make(ErrorCode::Cancelled, std::move(message), {}, {});
}
Error internalError(std::string message, std::string context) {
    return make(ErrorCode::Internal, std::move(message), std::move(context), {});
}

}  // namespace lanescope
