// SPDX-License-Identifier: Apache-2.0

/// A slab of connections: those of one loop, in one array that never moves. A slot is a place in it, and is used again
/// when its connection has ended. Its memory is touched as slots are first used, so its size costs address space only.
struct ConnectionTable: ~Copyable {
    let capacity: Int
    private let base: UnsafeMutablePointer<Connection>
    /// Slots below were used before and are initialised.
    private(set) var used = 0
    private var free: [Int] = []

    init(capacity: Int) {
        self.capacity = capacity
        base = .allocate(capacity: capacity)
    }

    deinit {
        base.deinitialize(count: used)
        base.deallocate()
    }

    /// Connections that are open.
    var count: Int { used - free.count }

    subscript(slot: Int) -> Connection {
        unsafeAddress { UnsafePointer(base + slot) }
        unsafeMutableAddress { base + slot }
    }

    /// Whether the slot still holds the connection of that generation.
    func isCurrent(_ slot: Int, _ generation: UInt32) -> Bool {
        slot < used && self[slot].state.isCurrent(generation)
    }

    /// A slot for a connection that is about to be told that it was accepted, or nil when all are taken.
    mutating func insert(descriptor: Int32) -> Int? {
        let slot: Int
        if let last = free.popLast() {
            slot = last
        } else {
            guard used < capacity else { return nil }
            slot = used
            (base + slot).initialize(to: Connection())
            used += 1
        }
        // The state goes on, because it counts the slot's generations.
        self[slot] = Connection(descriptor: descriptor, state: self[slot].state)
        return slot
    }

    /// Removes a connection whose state is free by now.
    mutating func remove(_ slot: Int) {
        self[slot].work = nil
        free.append(slot)
    }
}
