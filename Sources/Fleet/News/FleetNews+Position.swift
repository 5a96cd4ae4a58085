// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel
internal import Synchronization

/// The position in the stream: how it is taken, lost and written.
extension FleetNews {
    /// Takes the first position in the stream.
    func begin() async throws(Trouble) {
        guard environment.isEmpty() else { return try await bridge(.unknown, from: nil) }
        if configuration.readsAll { return await stand(.after(.start)) }
        if let last = try await last() {
            await stand(at: last)
        } else {
            try await stand(at: anchor())
        }
    }

    /// Has everything confirmed that this node holds, because the node does not know what was purged. Then goes on with the
    /// entries behind `id`, or with the whole stream if `id` is from another stream.
    func bridge(_ reason: GapReason, from id: StreamID?) async throws(Trouble) {
        // Everything is confirmed once while Redis is away and once more when it is back, because purges from the time between
        // may have been trimmed.
        let isConfirmed = reading.withLock { $0.isConfirmed }
        if !isConfirmed {
            try await confirmAll(because: reason)
            reading.withLock { $0.isConfirmed = true }
        }
        let last = try await last()
        if isConfirmed { try await confirmAll(because: reason) }
        reading.withLock { $0.isConfirmed = false }
        let isSame = id.flatMap { id in last.map { id < $0 } } ?? false
        await stand(.after(isSame ? id ?? .start : .start))
    }

    func stand(at id: StreamID) async {
        await stand(.at(id))
        noteStep()
    }

    private func stand(_ position: NewsRecord.Position) async {
        record.withLock { $0.position = position }
        await write()
    }

    /// Writes the position, unless a purge before it is not on disk yet. Until the position is written, a restart carries out the
    /// purges behind the old one again.
    func write() async {
        reading.withLock { $0.isBusy = true }
        defer { reading.withLock { $0.isBusy = false } }
        if environment.diskHangs() { return noteUnwritten("the disk hangs") }
        if reading.withLock({ $0.isUnwritten }), await !environment.settles() { return }
        let (path, text) = (configuration.recordPath, record.withLock { $0.text })
        let result = await files.perform { [environment] in
            Result { () throws(SystemError) -> Void in
                if environment.diskHangs() { throw SystemError("the disk hangs", code: EIO) }
                // A restart in the wrong folder would take the pictures there for purged already.
                guard environment.isInPlace() else {
                    throw SystemError("the cache is not open in its folder", code: ESTALE)
                }
                try StateFile.replace(path, with: text)
            }
        }
        switch result {
        case .success?: reading.withLock { $0.isUnwritten = false }
        case .failure(let error)?: noteUnwritten("the position cannot be written: \(error)")
        case nil: noteUnwritten("the disk hangs")
        }
    }

    func noteUnwritten(_ reason: String) {
        let isKnown = reading.withLock { exchange(&$0.isUnwritten, with: true) }
        if !isKnown { environment.report(.unwritten(reason)) }
    }
}
