// SPDX-License-Identifier: Apache-2.0

/// The shared store's limits, each with the reasoning behind its number.
package struct SharedStoreConfiguration: Sendable {
    /// True to store and read originals.
    package var originals = true
    /// True to store and read renditions.
    package var renditions = true
    /// An original of at most so many bytes is stored within its entry, which takes one read instead of two, and one write. But
    /// each 304 writes the bytes again, and each look for freshness transfers them, so the limit is what arrives within the first
    /// milliseconds.
    package var enclosed = 128 << 10
    /// The most changes that wait to be written. Each may hold an open file.
    package var queueCount = 256
    /// The most bytes that wait to be written; a larger object is not written.
    package var queueBytes = 64 << 20
    /// The number of writing threads. A write takes a store about 20 ms, so two threads write 100 objects per second. Each has
    /// one object in memory.
    package var writers = 2
    /// How many microseconds an entry in doubt waits to be written. Silence proves most answers sooner, and then the index needs
    /// no mark, which costs a transaction.
    var proof: Int64 = 1_000_000
    /// Such entries become due together, at multiples of so many microseconds, so that a writer wakes once for all of them.
    var proofSlice: Int64 = 250_000
    /// After so many milliseconds a thread tries again to make its writer, for which there was no memory.
    package var writerPause = 1_000
    /// How many milliseconds the waiting writes get when the daemon stops.
    package var farewell = 2_000
    /// How many milliseconds calls under way get after that: a request gives up at once, and reading a file takes less.
    package var lastPatience = 1_000
    /// True to report late answers, so that origins are asked as well.
    package var hedges = true
    /// How many microseconds to wait for an answer: for the connection and the first byte.
    package var deadline: Int64 = 300_000
    /// The path of the file with the marks of purges.
    package var purges: String

    /// Everything else at its default.
    package init(purges: String) { self.purges = purges }
}
