// SPDX-License-Identifier: Apache-2.0

/// The shared store's limits, each with the sketch that led to its number.
package struct SharedStoreConfiguration: Sendable {
    /// Keep and read originals.
    package var originals = true
    /// Keep and read renditions.
    package var renditions = true
    /// An original of at most so many bytes has them in its entry: that takes one read in place of two, and one write. A 304
    /// writes them again, and a look that was for freshness alone brings them along, so the limit is what comes in the first
    /// milliseconds.
    package var enclosed = 128 << 10
    /// Changes that wait to be written. Each may hold an open file.
    package var queueCount = 256
    /// Bytes that wait to be written; an object that is larger is not written.
    package var queueBytes = 64 << 20
    /// Threads that write. A write takes a store some 20 ms, so two write 100 objects a second; each holds one object in
    /// memory.
    package var writers = 2
    /// Microseconds for which an entry waits to be written while it is in doubt. Silence proves most answers sooner; then the
    /// index needs no mark, which costs a transaction.
    var proof: Int64 = 1_000_000
    /// Microseconds of the clock in which such entries become due together, so that a writer wakes once for all of them.
    var proofSlice: Int64 = 250_000
    /// Milliseconds after which a thread asks again for its writer, which there was no memory for.
    package var writerPause = 1_000
    /// Milliseconds for the writes that still wait when the daemon stops.
    package var farewell = 2_000
    /// Milliseconds after that for the calls under way: a request gives up at once, and a file is read in less.
    package var lastPatience = 1_000
    /// Tell when answers are late, so that origins are asked as well.
    package var hedges = true
    /// Microseconds for which an answer is waited for: a connection, and the first byte.
    package var deadline: Int64 = 300_000
    /// The file of the marks of purges.
    package var purges: String

    /// Everything else at its default.
    package init(purges: String) { self.purges = purges }
}
