// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension FleetNews {
    /// Why reading stopped. It is tried again.
    enum Trouble: Error {
        case redis(RedisFailure)
        /// A purge could not be carried out, Redis's answer makes no sense, or Redis is a replica.
        case own(String)
    }

    /// When the entries came that are read next.
    enum EntryAge {
        /// After the last look, which was about a second ago at most.
        case recent
        case unknown
    }

    /// The pause between a wait that brought no news and the next wait.
    private static let leastPause = Duration.milliseconds(50)

    /// Reads until the task ends.
    func read() async {
        var age = EntryAge.unknown
        while !Task.isCancelled {
            do throws(Trouble) {
                let steps = reading.withLock { $0.steps }
                try await readPages(&age)
                await leaveSharedName()
                noteEnd()
                // Without a pause, a Redis that answers at once instead of waiting would be asked as fast as it answers.
                if age == .recent, reading.withLock({ $0.steps }) == steps {
                    try? await Task.sleep(for: Self.leastPause)
                }
                try await waitForNews()
                age = .recent
                // Not before the wait: a Redis that gives entries and refuses to wait for news would be reported at each try.
                reading.withLock { $0.isReported = false }
                if reading.withLock({ $0.isUnwritten }) { await write() }
            } catch {
                age = .unknown
                // The next trim may remove entries behind such a position unseen, so it is forgotten.
                record.withLock { record in
                    if case .after = record.position { record.position = nil }
                }
                switch error {
                case .redis(.closed): return
                case .redis(.refused(let words)), .own(let words):
                    let isReported = reading.withLock { exchange(&$0.isReported, with: true) }
                    if !isReported { environment.report(.reading(words)) }
                // The link reports these itself.
                case .redis: break
                }
                await rest()
            }
        }
    }

    /// Carries out all entries, of one connection to a master: what a former connection has given may lack some.
    private func readPages(_ age: inout EntryAge) async throws(Trouble) {
        var connects: Int
        repeat {
            connects = reader.connects
            // Without a position, this node first has confirmed what it holds, also while Redis is away.
            if record.withLock({ $0.position != nil }) { try await leaveReplica() }
            while try await advance(age), !Task.isCancelled { age = .unknown }
            try await leaveReplica()
        } while reader.connects != connects && !Task.isCancelled
    }

    /// Notes a step that need not be repeated even if Redis goes away now. A start goes on waiting as long as steps are made.
    func noteStep() { reading.withLock { $0.steps += 1 } }

    private func noteEnd() {
        reading.withLock { reading in
            (reading.isAtEnd, reading.lastEnd) = (true, environment.ticks())
        }
        endCatchUp(isComplete: true)
        // The sender may have a new connection, to a Redis that has lost purges, and looks for lost purges only when it is woken.
        let connects = link.connects
        if sentPurges.withLock({ $0.isDue(connects) }) { bell.continuation.yield() }
    }

    /// Leaves a replica: it goes on answering when it has lost its master, and then hears of no purge. Nothing else would show that,
    /// because the reader hardly ever writes.
    ///
    /// Asks for the role once on each new connection, also of the sender, which leaves a master that has become a replica when it
    /// refuses a command. A replica in a Cluster is never asked, because it has sent the reader on.
    private func leaveReplica() async throws(Trouble) {
        let connection = reader.connects
        let connects = [link.connects, connection]
        guard reading.withLock({ $0.atMaster != connects }) else { return }
        if try await isReplica() {
            let reason = "a replica cannot be relied on for purges"
            // If a later connection has answered, the next look asks it again.
            reader.leave(connection, because: reason)
            throw .own(reason)
        }
        reading.withLock { $0.atMaster = connects }
    }

    private func isReplica() async throws(Trouble) -> Bool {
        do throws(RedisFailure) {
            let reply = try await reader.send(["ROLE"], within: configuration.commandTimeout, waits: true)
            return reply.elements?.first?.string == "slave"
        } catch {
            // Redis may not know the command, or may not let this user send it.
            guard case .refused = error else { throw .redis(error) }
            return false
        }
    }

    // MARK: Pages

    /// Carries out the next entries. If Redis's answer cannot be read, a second answer would be no better, so the entries are
    /// skipped and everything that this node holds must be confirmed.
    /// - Returns: false at the end of the stream.
    private func advance(_ age: EntryAge) async throws(Trouble) -> Bool {
        do throws(Trouble) { return try await readPage(age) } catch {
            guard case .redis(.unreadable) = error else { throw error }
        }
        // The reply to the adding of an anchor is small enough to be read. Later purges come after the anchor in the stream.
        let id = try await anchor()
        try await confirmAll(because: .unreadable, announced: id)
        await stand(at: id)
        return true
    }

    /// Carries out the next entries.
    /// - Returns: false at the end of the stream.
    private func readPage(_ age: EntryAge) async throws(Trouble) -> Bool {
        guard let position = record.withLock({ $0.position }) else {
            try await begin()
            return true
        }
        var entries = try await entries([
            "XRANGE", configuration.stream, position.id.text, "+", "COUNT", "\(configuration.page + 1)",
        ])
        guard Self.areInOrder(entries, from: position.id) else {
            throw .own("Redis's answer is not in the order of the stream")
        }
        switch position {
        case .at(let id):
            guard entries.first?.id == id else {
                try await bridge(.forgotten, from: id)
                return true
            }
            entries = Array(entries.dropFirst())
        case .after(let id):
            entries = entries.filter { $0.id != id }
            // The node needs an entry to stand at: without one, it could not tell an empty stream from one that is emptied later.
            if entries.isEmpty {
                try await stand(at: anchor())
                return true
            }
        }
        try await carryOut(entries, age)
        if let last = entries.last { await stand(at: last.id) }
        return entries.count >= configuration.page
    }

    /// False for an order that XRANGE never gives. A server that repeats the same entries for ever would keep a start waiting for
    /// ever.
    private static func areInOrder(_ entries: [StreamEntry], from id: StreamID) -> Bool {
        guard let first = entries.first else { return true }
        return first.id >= id && zip(entries, entries.dropFirst()).allSatisfy { $0.id < $1.id }
    }
}
