#pragma once
// How every layer reports failure: a value or an Error that a person can act on. No exceptions of
// ours cross a layer. Read next: mapped_file.h, which returns these.

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace lanescope {

/// What kind of failure it was. The command line maps these to exit codes, the app to wording.
enum class ErrorCode {
    Usage,        ///< the caller asked for something that makes no sense (exit 2)
    BadInput,     ///< a file or other untrusted input is damaged, cut or not what it says (exit 3)
    Unsupported,  ///< the input is well formed, but not something this build can run (exit 3)
    OutOfMemory,  ///< the memory needed is not there (exit 4)
    NoDevice,     ///< the device asked for is not there (exit 4)
    Cancelled,    ///< the person stopped it (exit 5)
    Io,        ///< the operating system refused a read or write (exit 1; 3 when opening an input)
    Internal,  ///< our own mistake (exit 1)
};

/// A failure with what a person needs: what happened (with numbers), where, and what to do next.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string message;   ///< one sentence without a final stop, numbers included
    std::string context;   ///< file, tensor, line …; may be empty
    std::string nextStep;  ///< what to try; may be empty

    /// "context: message (next step)" on one line; control characters are replaced by spaces.
    [[nodiscard]] std::string toString() const;
    /// The command line's exit status for this code (see DESIGN: 2 usage, 3 bad input, 4 memory or
    /// device, 5 cancelled).
    [[nodiscard]] int exitCode() const;
};

/// A T or an Error. Check with `if (!r)`, then `r.value()` / `*r` or `r.error()`.
template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value)
        : m_state(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}  // NOLINT

    [[nodiscard]] bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& value() & { return std::get<0>(m_state); }
    const T& value() const& { return std::get<0>(m_state); }
    T&& value() && { return std::get<0>(std::move(m_state)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const& { return std::get<1>(m_state); }
    Error&& error() && { return std::get<1>(std::move(m_state)); }

  private:
    std::variant<T, Error> m_state;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)) {}  // NOLINT: implicit by design

    [[nodiscard]] bool ok() const { return !m_error; }
    explicit operator bool() const { return ok(); }
    const Error& error() const& { return *m_error; }
    Error&& error() && { return std::move(*m_error); }

  private:
    std::optional<Error> m_error;
};

/// Shorthands, so that call sites read as sentences: `return badInput("…", path);`
Error badInput(std::string message, std::string context = {}, std::string nextStep = {});
Error unsupported(std::string message, std::string context = {}, std::string nextStep = {});
Error usageError(std::string message, std::string nextStep = {});
Error outOfMemory(std::string message, std::string context = {}, std::string nextStep = {});
Error ioError(std::string message, std::string context = {}, std::string nextStep = {});
Error cancelled(std::string message = "cancelled");
Error internalError(std::string message, std::string context = {});

}  // namespace lanescope
