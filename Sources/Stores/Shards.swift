// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Lock striping: mutexes in one allocation, a power of two in number, each with a part of the state, selected by a key's hash.
///
/// An array is impossible because mutexes cannot be copied; objects would cost a retain for each lookup.
///
/// **Isolation:** each state has its own `Mutex`, which is never held across `await`. `@unchecked Sendable` because the pointer
/// is set once, and freed when nobody can hold a mutex any more.
struct Shards<State: ~Copyable & Sendable>: ~Copyable, @unchecked Sendable {
    let count: Int
    private let mutexes: UnsafeMutablePointer<Mutex<State>>

    /// `count` is rounded up to a power of two.
    init(count wanted: Int, _ make: (_ count: Int) -> State) {
        var count = 1
        while count < wanted { count *= 2 }
        self.count = count
        mutexes = .allocate(capacity: count)
        for index in 0..<count { (mutexes + index).initialize(to: Mutex(make(count))) }
    }

    deinit {
        mutexes.deinitialize(count: count)
        mutexes.deallocate()
    }

    /// The high half of the hash selects the shard; the low half is left for the hash table in it.
    @inline(__always)
    func withLock<Result: Sendable>(hash: UInt64, _ body: (inout State) -> Result) -> Result {
        withLock(at: index(ofHash: hash), body)
    }

    @inline(__always)
    func index(ofHash hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 32) & (count - 1) }

    @inline(__always)
    func withLock<Result: Sendable>(at index: Int, _ body: (inout State) -> Result) -> Result {
        mutexes[index].withLock { body(&$0) }
    }
}
