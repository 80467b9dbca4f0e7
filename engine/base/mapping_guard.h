#pragma once
// Keeps the process alive when a mapped model file is shortened by someone else. Reading a page
// that is gone raises SIGBUS; the guard puts a page of zeros there instead, and whoever computes
// with the file asks afterwards whether that happened.

#include <cstddef>

namespace lanescope {

/// Handles SIGBUS inside mapped files from here on; elsewhere the signal keeps its default action.
/// Once, at the start of main().
void installMappingGuard();

/// Whether any page had to be replaced since the start: then MappedFile::checkUnchanged() tells
/// which file it was. Costs one load.
[[nodiscard]] bool mappingWasLost();

/// Owners of a mapping announce it for as long as it lives. Beyond 1024 at a time further ones go
/// unguarded.
void guardMapping(const void* data, std::size_t size);
void releaseMapping(const void* data);

}  // namespace lanescope
