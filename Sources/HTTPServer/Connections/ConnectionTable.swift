// SPDX-License-Identifier: Apache-2.0

/// A slab of one loop's connections, in one array that never moves. A slot is a place in it, which is reused after its connection has
/// ended. Memory is touched only as slots are first used, so the table's size costs address space only.
struct ConnectionTable: ~Copyable {
    let capacity: Int
    private let base: UnsafeMutablePointer<Connection>
    /// The slots below this number have been used and are initialised.
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

    /// The number of open connections.
    var count: Int { used - free.count }

    subscript(slot: Int) -> Connection {
        unsafeAddress { UnsafePointer(base + slot) }
        unsafeMutableAddress { base + slot }
    }

    /// True if the slot still holds the connection of this generation.
    func isCurrent(_ slot: Int, _ generation: UInt32) -> Bool {
        slot < used && self[slot].state.isCurrent(generation)
    }

    /// A slot for a connection that is about to get the event `accepted`; nil if all slots are taken.
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
        // The state is kept, because it counts the slot's generations.
        self[slot] = Connection(descriptor: descriptor, state: self[slot].state)
        return slot
    }

    /// Removes a connection whose phase is `free` already.
    mutating func remove(_ slot: Int) {
        self[slot].work = nil
        free.append(slot)
    }
}
