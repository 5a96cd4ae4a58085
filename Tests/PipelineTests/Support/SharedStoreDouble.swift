// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
@testable import Pipeline
import Recipes
import SourceURLs
import Synchronization

/// A shared store in memory, for several caches. An offered entry becomes visible once the gate lets it pass.
final class SharedStoreDouble: Sendable {
    private struct State {
        var originals: [OriginalKey: SharedOriginal] = [:]
        var bodies: [OriginalDigest: TestBody] = [:]
        var renditions: [RenditionKey: (rendition: Rendition, body: TestBody)] = [:]
        var refuses = false
        var isSilent = false
        var looks = 0
        var questions = 0
        var cancelled = 0
        var offers: [@Sendable (inout State) -> Void] = []
    }

    private let state = Mutex(State())
    private let gate: Gate
    /// Each look for an original waits at this gate.
    let looking: Gate
    /// Each read of an original's bytes waits at this gate.
    let reading: Gate
    /// Nil if late looks are always waited for.
    let times: LookTimes?
    private let enclosed: Int
    /// False for a store of renditions only.
    let sharesOriginals: Bool

    init(
        gate: Gate = Gate(open: true), looking: Gate = Gate(open: true), reading: Gate = Gate(open: true),
        times: LookTimes? = nil, enclosed: Int = -1, sharesOriginals: Bool = true
    ) {
        (self.gate, self.looking, self.reading, self.times) = (gate, looking, reading, times)
        (self.enclosed, self.sharesOriginals) = (enclosed, sharesOriginals)
    }

    /// The number of reads whose task was cancelled while they waited.
    var cancelled: Int { state.withLock(\.cancelled) }

    /// The number of questions for originals.
    var questions: Int { state.withLock(\.questions) }

    /// The number of questions for renditions.
    var looks: Int { state.withLock(\.looks) }

    /// From now on offers are refused.
    func refuse() { state.withLock { $0.refuses = true } }

    /// From now on questions for originals get no answer.
    func fallSilent() { state.withLock { $0.isSilent = true } }

    /// True after `fallSilent`.
    var isSilent: Bool { state.withLock(\.isSilent) }

    // MARK: Writing

    func offer(_ original: Original, fields: StoredFields, body: TestBody?) {
        let entry = SharedOriginal(
            key: original.key, digest: original.digest, length: original.length,
            lastModified: original.lastModified, freshness: original.freshness, fields: fields)
        offer { state in
            state.originals[original.key] = entry
            if let body { state.bodies[original.digest] = body }
        }
    }

    func offer(_ rendition: Rendition, body: TestBody) {
        offer { $0.renditions[rendition.key] = (rendition, body) }
    }

    func put(_ entry: SharedOriginal, _ body: TestBody) {
        state.withLock { state in
            state.originals[entry.key] = entry
            state.bodies[entry.digest] = body
        }
    }

    private func offer(_ change: @escaping @Sendable (inout State) -> Void) {
        state.withLock { if !$0.refuses { $0.offers.append(change) } }
    }

    /// Waits for the gate, and makes the offered entries visible.
    func isWritten(_ isThere: (SharedStoreDouble) -> Bool) async -> Bool {
        _ = await gate.pass()
        takeOffers()
        return isThere(self)
    }

    /// Makes the offered entries visible without waiting for the gate.
    func takeOffers() {
        state.withLock { state in
            let offers = state.offers
            state.offers = []
            for offer in offers { offer(&state) }
        }
    }

    // MARK: Reading

    func holds(_ key: OriginalKey) -> Bool { state.withLock { $0.originals[key] != nil } }

    func original(_ key: OriginalKey) async -> SharedOriginal? {
        state.withLock { $0.questions += 1 }
        return await pass(looking) { $0.originals[key] }
    }

    /// The bytes that come with the entry: at most `enclosed` bytes.
    func enclosed(in original: SharedOriginal) -> TestBody? {
        original.length <= enclosed ? state.withLock { $0.bodies[original.digest] } : nil
    }

    func body(of original: SharedOriginal) async -> TestBody? {
        await pass(reading) { $0.bodies[original.digest] }
    }

    private func pass<Found: Sendable>(_ gate: Gate, _ find: (State) -> Found?) async -> Found? {
        let isCancelled = await !gate.pass()
        return state.withLock { state in
            if isCancelled { state.cancelled += 1 }
            return isCancelled ? nil : find(state)
        }
    }

    func rendition(_ key: RenditionKey) -> (rendition: Rendition, body: TestBody)? {
        state.withLock { state in
            state.looks += 1
            return state.renditions[key]
        }
    }
}

extension SharedStoreDouble {
    /// Copies the original of this URL to another store, if this store has it.
    func copy(to other: SharedStoreDouble, _ url: String) async {
        let key = OriginalKey(url: url)
        guard let entry = await original(key), let body = await body(of: entry) else { return }
        other.put(entry, body)
    }
}
