// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
@testable import Pipeline
import Recipes
import SourceURLs
import Synchronization

/// A store that several caches share. What is offered is there once its gate lets it through.
final class Shelf: Sendable {
    private struct State {
        var originals: [OriginalKey: SharedOriginal] = [:]
        var bodies: [OriginalDigest: TestBody] = [:]
        var renditions: [RenditionKey: (rendition: Rendition, body: TestBody)] = [:]
        var refuses = false
        var looks = 0
        var offers: [@Sendable (inout State) -> Void] = []
    }

    private let state = Mutex(State())
    private let gate: Gate

    init(gate: Gate = Gate(open: true)) { self.gate = gate }

    /// Questions for renditions.
    var looks: Int { state.withLock(\.looks) }

    /// From now on nothing is taken.
    func refuse() { state.withLock { $0.refuses = true } }

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

    private func offer(_ change: @escaping @Sendable (inout State) -> Void) {
        state.withLock { if !$0.refuses { $0.offers.append(change) } }
    }

    /// Waits for the gate, and takes what was offered.
    func isWritten(_ isThere: (Shelf) -> Bool) async -> Bool {
        _ = await gate.pass()
        takeOffers()
        return isThere(self)
    }

    /// Takes what was offered, whatever the gate says.
    func takeOffers() {
        state.withLock { state in
            let offers = state.offers
            state.offers = []
            for offer in offers { offer(&state) }
        }
    }

    // MARK: Reading

    func original(_ key: OriginalKey) -> SharedOriginal? { state.withLock { $0.originals[key] } }

    func body(of original: SharedOriginal) -> TestBody? { state.withLock { $0.bodies[original.digest] } }

    func rendition(_ key: RenditionKey) -> (rendition: Rendition, body: TestBody)? {
        state.withLock { state in
            state.looks += 1
            return state.renditions[key]
        }
    }
}
