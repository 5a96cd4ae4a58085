// SPDX-License-Identifier: Apache-2.0

/// The lookups of names that hold a thread and three descriptors each: glibc's socket, and a pair of libcurl's.
///
/// A lookup cannot be ended: when its hop is given up, libcurl leaves the thread alone in getaddrinfo(3), and nobody learns
/// when it returns. Clients that ask for names whose servers do not answer, and leave, would have as many as they like. So one
/// that was left alone counts on for as long as it may take.
///
/// **Isolation:** the network thread.
struct Lookups {
    /// glibc asks each of three servers twice and waits 5 s each time (resolv.conf(5)): 30 s, and as long again where a
    /// search list has a second name.
    static let longest: Ticks = 60_000_000

    private var underWay = 0
    /// When those that were left alone are over, the first one first.
    private var leftAlone: [Ticks] = []

    /// How many there are.
    var count: Int { underWay + leftAlone.count }

    /// False, and none begins, where there are as many as there may be.
    mutating func begin(at now: Ticks, limit: Int) -> Bool {
        if count >= limit { leftAlone.removeAll { $0 <= now } }
        guard count < limit else { return false }
        underWay += 1
        return true
    }

    /// One has its addresses, or has found none.
    mutating func end() { underWay -= 1 }

    /// The hop of one is given up.
    mutating func leaveAlone(at now: Ticks) {
        underWay -= 1
        leftAlone.append(now + Self.longest)
    }
}
