// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPSemantics
internal import Kernel
internal import Recipes
internal import SourceURLs

/// A change of the shared store that is to be made behind an answer.
struct StoreChange: Sendable {
    enum Kind: Sendable {
        /// Content and metadata.
        case put(ObjectName, Content, metadata: [UInt8], at: Timestamp)
        case delete(ObjectName)
        /// Entries, and these bytes with all that was made of them.
        case purge(Set<ObjectName>, Set<OriginalDigest>)
    }

    /// The body of an object.
    enum Content: Sendable {
        case none
        case held(Body)
        /// So many bytes of the disk cache, opened when it is written; by then they may be gone.
        case later(@Sendable () -> Body?, length: Int)

        /// Bytes.
        var length: Int {
            switch self {
            case .none: 0
            case .held(let body): body.length
            case .later(_, let length): length
            }
        }
    }

    private(set) var kind: Kind
    /// The key of a URL's entry, so that a purge finds it while it waits.
    var key: OriginalKey?
    /// The tags of the same entry.
    var tags: [String] = []
    /// The bytes that it is about.
    var digest: OriginalDigest?
    /// True if the bytes that the entries of a purge name go with them: this node does not know which they are.
    var takesBytes = false
    /// Microseconds of the monotonic clock before which it is not made, unless somebody waits for it; nil for at once.
    var due: Int64?
    /// Tries that failed.
    var failures = 0

    init(_ kind: Kind) { self.kind = kind }

    /// Bytes that it holds.
    var size: Int {
        guard case .put(_, let content, let metadata, _) = kind else { return 0 }
        return content.length + metadata.count + Envelope.trailerSize
    }

    /// The one object that it is about; nil for a purge.
    var name: ObjectName? {
        switch kind {
        case .put(let name, _, _, _), .delete(let name): name
        case .purge: nil
        }
    }

    /// The entries that it deletes.
    var leaving: Set<ObjectName> {
        switch kind {
        case .delete(let name): [name]
        case .purge(let names, _): names
        case .put: []
        }
    }

    /// The bytes that must be there before it is written: an entry that neither has nor finds them leads nowhere.
    fileprivate var foundation: ObjectName? {
        guard case .put(let name, .none, _, _) = kind, name.kind == .entry else { return nil }
        return digest.map(ObjectName.original)
    }

    /// As it is, with the bytes that a waiting change holds if it would open the same bytes later: they may be gone by then.
    fileprivate func keepingBytes(of waiting: StoreChange) -> StoreChange {
        guard digest != nil, digest == waiting.digest,
            case .put(let name, .later, let metadata, let time) = kind,
            case .put(_, let content, _, _) = waiting.kind, case .held = content
        else { return self }
        var kept = self
        kept.kind = .put(name, content, metadata: metadata, at: time)
        return kept
    }

    /// True if nothing may be written beside it: a write under way must not come after it.
    fileprivate var isAlone: Bool { if case .purge = kind { true } else { false } }
}

/// The changes that wait for the writers: first come, first served, one at a time for each name.
///
/// Bounded by count and by bytes. What does not fit is dropped: another node, or another day, writes it again. A purge
/// always fits, as it holds nothing, up to `purgeLimit`.
///
/// A change that is not due yet is passed over, as long as half of the room is free and no purge waits behind it. So changes of
/// one name, and a purge and what it concerns, keep their order.
struct WriteQueue: Sendable {
    /// Purges that wait beside the count of the settings.
    static let purgeLimit = 10_000

    private let limits: (count: Int, bytes: Int)
    private var waiting: [StoreChange] = []
    /// How many of those are about a name, and how many delete it: each read of the store asks.
    private var named: [ObjectName: Int] = [:]
    private var leaving: [ObjectName: Int] = [:]
    private var writing: [ObjectName] = []
    private var isPurging = false
    /// Those that wait and have a time at which they are due.
    private var timed = 0
    /// Bytes that wait.
    private(set) var bytes = 0

    init(count: Int, bytes: Int) { limits = (count, bytes) }

    /// Changes that wait.
    var count: Int { waiting.count }
    /// True if nothing waits and nothing is being written.
    var isIdle: Bool { waiting.isEmpty && writing.isEmpty && !isPurging }

    /// True if this object is about to be deleted.
    func deletes(_ name: ObjectName) -> Bool {
        leaving[name] != nil
    }

    /// True if a change of this object waits, or is being made.
    func holds(_ name: ObjectName) -> Bool {
        writing.contains(name) || named[name] != nil
    }

    /// False if there is no room. Takes the place of a waiting change of the same name.
    mutating func push(_ change: StoreChange) -> Bool {
        if let name = change.name, named[name] != nil,
            let index = waiting.lastIndex(where: { $0.name == name })
        {
            // In the same turn, but not before a purge that came in between.
            if !waiting[index...].contains(where: \.isAlone) {
                var change = change.keepingBytes(of: waiting[index])
                // Or one that is replaced again and again would never be written.
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

    /// Makes changes of these names due at once; true if one was not.
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

    /// True if nothing is left for later, because the room will be needed.
    var isFilling: Bool { waiting.count > limits.count / 2 || bytes > limits.bytes / 2 }

    /// Microseconds until the next change is due that is not yet; nil if there is none.
    func pause(at now: Int64) -> Int64? {
        guard timed > 0, !isFilling else { return nil }
        return waiting.compactMap(\.due).filter { $0 > now }.min().map { $0 - now }
    }

    /// The next change, which is being written until `finish`; nil if none may be written now.
    /// - Parameters:
    ///   - now: microseconds of the monotonic clock.
    ///   - isLast: true to take also what is not due yet.
    mutating func pop(at now: Int64, isLast: Bool = false) -> StoreChange? {
        guard !isPurging, let first = waiting.first else { return nil }
        if first.isAlone {
            guard writing.isEmpty else { return nil }
            isPurging = true
            note(first, -1)
            return waiting.removeFirst()  // Cannot trap: it has one.
        }
        let takesAll = isLast || isFilling
        for (index, change) in waiting.enumerated() {
            guard !change.isAlone else { return nil }
            if !takesAll, let due = change.due, due > now { continue }
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

    /// True if a change waits that could not be made beside this one, which is being made or has been.
    func isAwaited(_ change: StoreChange) -> Bool {
        guard let name = change.name else { return !waiting.isEmpty }
        return named[name] != nil || waiting.first?.isAlone == true
            || name.kind == .original && waiting.contains { $0.foundation == name }
    }

    mutating func finish(_ change: StoreChange) {
        if change.isAlone { isPurging = false }
        if let name = change.name { writing.removeAll { $0 == name } }
    }

    /// Puts a purge to the front: a purge that failed, or the second half of one whose first half is done.
    mutating func putBack(_ change: StoreChange) {
        note(change, 1)
        waiting.insert(change, at: 0)
    }

    /// Drops the writes that a purge concerns, and returns their names.
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

    /// Drops everything that waits, and returns how many.
    mutating func dropAll() -> Int {
        defer { (waiting, named, leaving, bytes, timed) = ([], [:], [:], 0, 0) }
        return waiting.count
    }

    /// Counts the names of a change that comes to those that wait, with 1, or goes, with -1.
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
