// SPDX-License-Identifier: Apache-2.0

/// A queue (first in, first out) in an array, with the free slots of those that were taken in front.
///
/// They go once nothing waits. A queue that is never empty gives them up when they are half of the array: each element is moved once
/// for one that was taken.
struct FIFOQueue<Element: Sendable>: Sendable {
    /// Free slots that stay in any case, so that a short queue moves nothing.
    private static var spare: Int { 1_024 }

    private var slots: [Element?] = []
    /// The slot of the first element.
    private var next = 0

    /// Slots, with and without an element.
    var slotCount: Int { slots.count }

    mutating func append(_ element: Element) { slots.append(element) }

    mutating func popFirst() -> Element? {
        guard next < slots.count else { return nil }
        let element = slots[next].take()
        next += 1
        if next == slots.count {
            slots.removeAll(keepingCapacity: next <= Self.spare)
            next = 0
        } else if next >= Self.spare, next >= slots.count / 2 {
            // Cannot trap: there are more.
            slots.removeFirst(next)
            next = 0
        }
        return element
    }

    /// Takes out all that waits, in its order.
    mutating func popAll() -> [Element] {
        defer { (slots, next) = ([], 0) }
        return slots.compactMap { $0 }
    }
}
