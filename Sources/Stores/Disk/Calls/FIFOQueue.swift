// SPDX-License-Identifier: Apache-2.0

/// A queue (first in, first out) in an array. Elements that were taken leave free slots at the front.
///
/// The free slots are removed once the queue is empty, or when they are half of the array: so on average at most one element is
/// moved for each that is taken.
struct FIFOQueue<Element: Sendable>: Sendable {
    /// So many free slots may stay, so that a short queue never moves elements.
    private static var spare: Int { 1_024 }

    private var slots: [Element?] = []
    /// The slot of the first element.
    private var next = 0

    /// The number of slots, with and without an element.
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
            // Cannot trap: there are more slots than that.
            slots.removeFirst(next)
            next = 0
        }
        return element
    }

    /// Takes out all elements, in their order.
    mutating func popAll() -> [Element] {
        defer { (slots, next) = ([], 0) }
        return slots.compactMap { $0 }
    }
}
