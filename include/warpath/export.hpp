#pragma once

/// Marks what a shared library exports to the programs that link it; everything else is hidden.
#define WARPATH_EXPORT __attribute__((visibility("default")))
