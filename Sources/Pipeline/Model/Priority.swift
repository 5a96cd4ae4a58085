// SPDX-License-Identifier: Apache-2.0

/// A class of work; an in-flight request has the highest class of its waiters.
package enum Priority: Int, Sendable, Hashable, Comparable, CaseIterable {
    case refresh = 0
    case prefetch, interactive

    package static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
}
