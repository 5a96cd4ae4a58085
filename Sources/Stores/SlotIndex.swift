// SPDX-License-Identifier: Apache-2.0

/// A hash index of slot numbers: open addressing with linear probing, at most three quarters full.
///
/// The index stores no keys; the owner of the slots compares them. A cell has 8 bytes: half of the hash, and the slot. So a probe
/// rarely leaves its cache line, and growing does not hash keys again. A removal shifts cells back instead of leaving tombstones.
struct SlotIndex: Sendable {
    private struct Cell {
        var hash: UInt32 = 0
        var slot: Int32 = -1
    }

    private var cells = ContiguousArray(repeating: Cell(), count: 16)
    private(set) var count = 0

    private var mask: Int { cells.count - 1 }

    /// The slot with this hash for which `matches` is true.
    @inline(__always)
    func find(_ hash: UInt32, _ matches: (_ slot: Int) -> Bool) -> Int? {
        cells.withUnsafeBufferPointer { cells in
            var position = Int(hash) & (cells.count - 1)
            while cells[position].slot >= 0 {
                if cells[position].hash == hash, matches(Int(cells[position].slot)) {
                    return Int(cells[position].slot)
                }
                position = (position + 1) & (cells.count - 1)
            }
            return nil
        }
    }

    /// Allocates room for so many slots.
    mutating func reserve(_ slots: Int) {
        var size = cells.count
        while slots * 4 > size * 3 { size *= 2 }
        if size > cells.count { grow(to: size) }
    }

    /// Adds a slot, which must not be in the index yet.
    mutating func insert(_ hash: UInt32, slot: Int) {
        if (count + 1) * 4 > cells.count * 3 { grow(to: cells.count * 2) }
        // Cannot trap: a billion entries would not fit into memory.
        place(Cell(hash: hash, slot: Int32(slot)))
        count += 1
    }

    /// Removes a slot, which must be in the index.
    mutating func remove(_ hash: UInt32, slot: Int) {
        var gap = position(of: hash, slot)
        var next = (gap + 1) & mask
        while cells[next].slot >= 0 {
            // A cell may move back into the gap unless its home position is behind the gap.
            let home = Int(cells[next].hash) & mask
            if (next &- home) & mask >= (next &- gap) & mask {
                cells[gap] = cells[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        cells[gap] = Cell()
        count -= 1
    }

    /// Changes the slot number `old` to `new`.
    mutating func move(_ hash: UInt32, from old: Int, to new: Int) {
        // Cannot trap: as in `insert`.
        cells[position(of: hash, old)].slot = Int32(new)
    }

    private func position(of hash: UInt32, _ slot: Int) -> Int {
        var position = Int(hash) & mask
        while cells[position].slot != slot {
            // Cannot trap: callers remove only what they have inserted; an endless loop would be worse.
            precondition(cells[position].slot >= 0, "the slot is in the index")
            position = (position + 1) & mask
        }
        return position
    }

    private mutating func place(_ cell: Cell) {
        var position = Int(cell.hash) & mask
        while cells[position].slot >= 0 { position = (position + 1) & mask }
        cells[position] = cell
    }

    private mutating func grow(to size: Int) {
        let old = cells
        // Cannot trap: the size is twice the former one.
        cells = ContiguousArray(repeating: Cell(), count: size)
        for cell in old where cell.slot >= 0 { place(cell) }
    }
}
