// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Glibc
internal import Kernel
package import Pipeline
internal import Synchronization

/// How an object of a name is got from the bucket.
extension SharedStore {
    /// How long answers to requests for entries take, which are small; nil if late answers are simply waited for.
    package var lookTimes: LookTimes? {
        guard configuration.hedges, configuration.originals else { return nil }
        return LookTimes(late: times.withLock { $0.late }, deadline: configuration.deadline)
    }

    /// The checked object of this name, and a file with only its body; nil if there is none.
    /// - Throws: if the store does not answer.
    func read(
        _ name: ObjectName
    ) async throws(StoreSilence) -> (envelope: Envelope, file: OwnedDescriptor)? {
        guard let (file, length, _) = try await get(name) else { return nil }
        let result = await perform(on: file) { () -> Envelope? in
            guard let envelope = Envelope.open(file, length: length, as: name),
                // The file is cut to the body, so that it can become a file of the disk cache.
                ftruncate(file.raw, off_t(envelope.bodyLength)) == 0
            else { return nil }
            return envelope
        }
        // The file is on a disk that hangs.
        guard let opened = result else {
            counters.add(counters.skipped)
            throw StoreSilence()
        }
        guard let envelope = opened else {
            noteDamage(name)
            return nil
        }
        return (envelope, file)
    }

    /// The object of this name with its SHA-256; nil if there is none.
    /// - Throws: if the store does not answer.
    func get(
        _ name: ObjectName
    ) async throws(StoreSilence) -> (file: OwnedDescriptor, length: Int, digest: Digest)? {
        // An object that is about to be deleted counts as gone.
        guard !state.withLock({ $0.leaving.contains(name) || $0.queue.deletes(name) }) else {
            counters.add(counters.misses)
            return nil
        }
        guard breakers.withLock({ $0.enter(name.kind, at: environment.ticks()) }) else {
            counters.add(counters.skipped)
            throw StoreSilence()
        }
        let began = environment.ticks()
        let reply = await reader.get(name.text)
        if name.kind == .entry { learn(reply, microseconds: environment.ticks() - began) }
        left(name.kind, after: reply)
        switch reply {
        case .absent:
            counters.add(counters.misses)
            return nil
        case .failed(let failure):
            switch failure.kind {
            case .error: counters.add(counters.errors)
            case .timeout: counters.add(counters.timeouts)
            case .own, .oversized: counters.add(counters.skipped)
            }
            throw StoreSilence()
        case .found(let file, let length, let digest):
            return (file, length, digest)
        }
    }

    func noteDamage(_ name: ObjectName) {
        counters.add(counters.damaged)
        environment.report(.damaged(name.text))
    }

    /// Runs a call that blocks on a file; nil if the file is on a disk that hangs.
    private func perform<Result: Sendable>(
        on file: OwnedDescriptor, _ work: @escaping @Sendable () -> Result
    ) async -> Result? {
        await (file.isInMemory ? memoryThreads : threads).call(work, late: { _ in })
    }

    private func learn(_ reply: ObjectReply, microseconds: Int64) {
        guard reply.failure == nil else { return }
        times.withLock { $0.learn(microseconds) }
    }

    private func left(_ kind: ObjectKind, after reply: ObjectReply) {
        let sign = reply.sign
        // These are only needed if a breaker may open.
        let (now, chance) = (environment.ticks(), sign == .failed ? environment.chance() : 0)
        let changed = breakers.withLock { $0.left(kind, sign, at: now, chance: chance) }
        guard !changed.isEmpty else { return }
        environment.report(.reads(changed, sign == .failed ? reply.failure?.words : nil))
    }
}
