// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What a node does whose name another node has as well, because one of them began with a copy of the other's files.
extension FleetNews {
    /// Notes that a purge of this node's name was carried out which this node has not carried out itself. Later numbers will be
    /// higher. If no run of this node has given the number, the node leaves its name.
    func passOver(_ number: UInt64) async {
        let isForeign = await withOutbox { outbox in
            let isForeign = outbox.isForeign(number)
            outbox.skip(to: number)
            return isForeign
        }
        guard isForeign ?? false else { return }
        let isNoted = reading.withLock { exchange(&$0.isNameShared, with: true) }
        if !isNoted { environment.report(.nameShared) }
    }

    /// Takes a new name if another node was found to have the present one. Does nothing while purges wait, because one of them may
    /// be on its way to Redis; the next call tries again. Should a crash bring the old name back, no purge is lost: nodes compare
    /// numbers one by one.
    func leaveSharedName() async {
        guard reading.withLock({ $0.isNameShared }) else { return }
        let name = NewsRecord.randomNode()
        let hasLeft = await withOutbox { [self] outbox in
            // On a disk that hangs, several of these calls may have come together.
            guard outbox.waiting.isEmpty, reading.withLock({ $0.isNameShared }) else { return false }
            outbox.rename(to: name)
            let former = (name: record.withLock { exchange(&$0.node, with: name) }, last: outbox.highest)
            reading.withLock { ($0.isNameShared, $0.former) = (false, former) }
            peers.rename(to: name)
            return true
        }
        if hasLeft ?? false { await write() }
    }
}
