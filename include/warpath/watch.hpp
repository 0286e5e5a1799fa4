#pragma once

#include <cstdint>
#include <functional>

namespace warpath {

/// Watches a long call: is called after each piece of its work, by the thread that did the piece,
/// with the number of pairs (of a random baseline: walks) that are done by it, which may be 0. The
/// numbers of a call that returns sum to all of its pairs. Scores do not depend on a watch.
///
///     std::atomic<std::uint64_t> done = 0;
///     scorer.score(batch, [&](std::uint64_t pairs) {
///       done += pairs;
///       if (is_stopped) throw Stopped();
///     });
///
/// Several threads may call it at the same time, the calling one among them. What it throws ends
/// the call: pieces that threads have not begun are left out, and the exception reaches the caller.
/// A piece takes some milliseconds, or as long as a single pair does. Tables of distances, which a
/// scorer makes at its first call, are made without calling a watch.
///
/// No lock is held around a call, but for this: calls of one scorer on a GPU are made one after the
/// other, so there a watch may not call the scorer that it watches.
using Watch = std::function<void(std::uint64_t done)>;

}  // namespace warpath
