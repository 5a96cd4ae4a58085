// SPDX-License-Identifier: Apache-2.0

/// The changes that wait for the writers: first come, first served, one at a time for each name.
///
/// The count and the bytes are limited. A change that does not fit is dropped; the object is written later, or by another node.
/// Purges hold no bytes, so they fit up to `purgeLimit`.
///
/// A change that is not due yet is skipped as long as half of the room is free and no purge waits behind it. So changes of one
/// name keep their order, and so do a purge and the changes that it concerns.
struct WriteQueue: Sendable {
    /// The most purges that wait in addition to the settings' count.
    static let purgeLimit = 10_000

    private let limits: (count: Int, bytes: Int)
    private var waiting: [StoreChange] = []
    /// How many waiting changes concern a name, and how many delete it, because each read of the store asks for that.
    private var named: [ObjectName: Int] = [:]
    private var leaving: [ObjectName: Int] = [:]
    private var writing: [ObjectName] = []
    private var isPurging = false
    /// How many waiting changes have a time at which they are due.
    private var timed = 0
    /// The bytes that the waiting changes hold.
    private(set) var bytes = 0

    init(count: Int, bytes: Int) { limits = (count, bytes) }

    /// The number of waiting changes.
    var count: Int { waiting.count }
    /// True if nothing waits and nothing is being written.
    var isIdle: Bool { waiting.isEmpty && writing.isEmpty && !isPurging }

    /// True if a waiting change deletes this object.
    func deletes(_ name: ObjectName) -> Bool {
        leaving[name] != nil
    }

    /// True if a change of this object is waiting or being made.
    func holds(_ name: ObjectName) -> Bool {
        writing.contains(name) || named[name] != nil
    }

    /// Adds a change, in place of a waiting change of the same name if there is one. False if there is no room.
    mutating func push(_ change: StoreChange) -> Bool {
        if let name = change.name, named[name] != nil,
            let index = waiting.lastIndex(where: { $0.name == name })
        {
            // The change keeps the place of the one that it replaces, but must not come before a purge that was added in between.
            if !waiting[index...].contains(where: \.isAlone) {
                var change = change.keepingBytes(of: waiting[index])
                // The earlier due time counts; otherwise an object that is replaced again and again would never be written.
                change.due = waiting[index].due.flatMap { due in change.due.map { min(due, $0) } }
                let rest = bytes - waiting[index].size
                guard rest + change.size <= limits.bytes else { return false }
                bytes = rest + change.size
                note(waiting[index], -1)
                note(change, 1)
                waiting[index] = change
                return true
            }
        }
        let most = limits.count + (change.size == 0 ? Self.purgeLimit : 0)
        guard waiting.count < most, bytes + change.size <= limits.bytes else { return false }
        if change.isAlone { hurry { _ in true } }
        bytes += change.size
        note(change, 1)
        waiting.append(change)
        return true
    }

    /// Makes changes of these names due at once; true if any was not due yet.
    @discardableResult
    mutating func hurry(where isMeant: (ObjectName) -> Bool) -> Bool {
        let before = timed
        guard timed > 0 else { return false }
        for index in waiting.indices where waiting[index].due != nil {
            guard waiting[index].name.map(isMeant) ?? true else { continue }
            waiting[index].due = nil
            timed -= 1
        }
        return timed < before
    }

    /// True if no change may be left for later, because the room will be needed.
    var isFilling: Bool { waiting.count > limits.count / 2 || bytes > limits.bytes / 2 }

    /// Microseconds until the next change becomes due; nil if there is none.
    func pause(at now: Int64) -> Int64? {
        guard timed > 0, !isFilling else { return nil }
        var next: Int64?
        // By index, so that no change is copied with its references.
        for index in waiting.indices {
            if let due = waiting[index].due, due > now { next = min(due, next ?? due) }
        }
        return next.map { $0 - now }
    }

    /// Takes the next change, which counts as being made until `finish`; nil if none may be made now.
    /// - Parameters:
    ///   - now: the present time in microseconds of the monotonic clock.
    ///   - isLast: true to take even changes that are not due yet.
    mutating func pop(at now: Int64, isLast: Bool = false) -> StoreChange? {
        guard !isPurging, let first = waiting.first else { return nil }
        if first.isAlone {
            guard writing.isEmpty else { return nil }
            isPurging = true
            note(first, -1)
            return waiting.removeFirst()  // Cannot trap: the queue is not empty.
        }
        let takesAll = isLast || isFilling
        for index in waiting.indices {
            // Most changes are not due yet where many wait. Only a change that is due is copied with its references.
            if !takesAll, let due = waiting[index].due, due > now { continue }
            let change = waiting[index]
            guard !change.isAlone else { return nil }
            if let name = change.name, !writing.contains(name),
                change.foundation.map({ !writing.contains($0) }) ?? true
            {
                bytes -= change.size
                note(change, -1)
                writing.append(name)
                return waiting.remove(at: index)
            }
        }
        return nil
    }

    /// True if a change waits that cannot be made beside this one, which is being made or has just been.
    func isAwaited(_ change: StoreChange) -> Bool {
        guard let name = change.name else { return !waiting.isEmpty }
        return named[name] != nil || waiting.first?.isAlone == true
            || name.kind == .original && waiting.contains { $0.foundation == name }
    }

    mutating func finish(_ change: StoreChange) {
        if change.isAlone { isPurging = false }
        if let name = change.name { writing.removeAll { $0 == name } }
    }

    /// Puts a purge at the front: one that failed, or the second half of one whose first half is done.
    mutating func putBack(_ change: StoreChange) {
        note(change, 1)
        waiting.insert(change, at: 0)
    }

    /// Drops waiting writes that a purge concerns, and returns their names.
    @discardableResult
    mutating func drop(where isMeant: (StoreChange) -> Bool) -> [ObjectName] {
        var names: [ObjectName] = []
        waiting.removeAll { change in
            guard case .put(let name, _, _, _) = change.kind, isMeant(change) else { return false }
            bytes -= change.size
            if change.due != nil { timed -= 1 }
            names.append(name)
            return true
        }
        for name in names { Self.add(-1, of: name, to: &named) }
        return names
    }

    /// Drops all waiting changes, and returns their number.
    mutating func dropAll() -> Int {
        defer { (waiting, named, leaving, bytes, timed) = ([], [:], [:], 0, 0) }
        return waiting.count
    }

    /// Counts the names of a change that is added (`step` is 1) or removed (`step` is -1).
    private mutating func note(_ change: StoreChange, _ step: Int) {
        if change.due != nil { timed += step }
        if let name = change.name { Self.add(step, of: name, to: &named) }
        for name in change.leaving { Self.add(step, of: name, to: &leaving) }
    }

    private static func add(_ step: Int, of name: ObjectName, to counts: inout [ObjectName: Int]) {
        let count = counts[name, default: 0] + step
        counts[name] = count > 0 ? count : nil
    }
}
