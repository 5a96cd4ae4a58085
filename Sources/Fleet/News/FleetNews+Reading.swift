// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Kernel
internal import Pipeline
internal import Synchronization

extension FleetNews {
    /// Why the reading stopped, to be tried again.
    private enum Trouble: Error {
        case redis(RedisFailure)
        /// A purge was not carried out, or Redis's answer is none.
        case own(String)
    }

    /// Reads until the task ends.
    func read() async {
        // What is read next has come since the last look, a second ago at most.
        var isNew = false
        while !Task.isCancelled {
            do throws(Trouble) {
                while try await advance(isNew), !Task.isCancelled { isNew = false }
                noteEnd()
                try await waitForNews()
                isNew = true
                if reading.withLock({ $0.isUnwritten }) { await write() }
            } catch {
                isNew = false
                // What is behind such a position may be trimmed by the next look, unseen.
                record.withLock { record in
                    if case .after = record.position { record.position = nil }
                }
                switch error {
                case .redis(.closed): return
                case .redis(.refused(let words)), .own(let words):
                    let wasTold = reading.withLock { reading in
                        defer { reading.isTold = true }
                        return reading.isTold
                    }
                    if !wasTold { environment.report(.reading(words)) }
                // The link tells of them.
                case .redis: break
                }
                await rest()
            }
        }
    }

    /// Notes what need not be done again, even if Redis goes away now. A start waits while there is such.
    private func noteStep() { reading.withLock { $0.steps += 1 } }

    private func noteEnd() {
        let waiting = reading.withLock { reading in
            defer { reading.waiting = [] }
            (reading.isAtEnd, reading.isTold, reading.lastEnd) = (true, false, environment.ticks())
            return reading.waiting
        }
        for continuation in waiting { continuation.resume(returning: true) }
    }

    // MARK: Pages

    /// Carries out the next entries, or passes them by if Redis's answer with them cannot be read: it would be the same
    /// again. What they purge is not known then.
    /// - Returns: false at the end of the stream.
    private func advance(_ isNew: Bool) async throws(Trouble) -> Bool {
        do throws(Trouble) { return try await readPage(isNew) } catch {
            guard case .redis(.unreadable) = error else { throw error }
        }
        // The answer to this one is small. What is purged from here on lies behind it.
        let id = try await anchor()
        try await confirmAll(because: .unreadable, told: id)
        await stand(at: id)
        return true
    }

    /// Carries out the next entries.
    /// - Returns: false at the end of the stream.
    private func readPage(_ isNew: Bool) async throws(Trouble) -> Bool {
        guard let position = record.withLock({ $0.position }) else {
            try await begin()
            return true
        }
        let reply = try await ask([
            "XRANGE", configuration.stream, position.id.text, "+", "COUNT", "\(configuration.page + 1)",
        ])
        guard var entries = StreamEntry.list(reply) else {
            throw .own("Redis's answer is no list of entries")
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
            // Without an entry to stand at, a stream that is emptied later would look like this one.
            if entries.isEmpty {
                try await stand(at: anchor())
                return true
            }
        }
        try await carryOut(entries, isNew)
        if let last = entries.last { await stand(at: last.id) }
        return entries.count >= configuration.page
    }

    /// The first look into the stream.
    private func begin() async throws(Trouble) {
        guard environment.isEmpty() else { return try await bridge(.unknown, from: nil) }
        if configuration.readsAll { return await stand(.after(.start)) }
        if let last = try await last() {
            await stand(at: last)
        } else {
            try await stand(at: anchor())
        }
    }

    /// Has everything confirmed that this node holds, since it does not know what was purged, and goes on with what the
    /// stream has behind `id`; with all of it if `id` is of another stream.
    private func bridge(_ reason: GapReason, from id: StreamID?) async throws(Trouble) {
        // Once while Redis is away, and once more when it is back: what was purged meanwhile may be trimmed.
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

    /// - Parameters:
    ///   - told: the entry because of which it is; nil if there is none.
    ///   - time: when that was written, by its node's clock.
    private func confirmAll(
        because reason: GapReason, told: StreamID? = nil, time: Timestamp? = nil
    ) async throws(Trouble) {
        var order = PurgeOrder(.all, isSoft: true)
        (order.told, order.time) = (told?.time, time)
        order.isRelayed = true
        order.isStrict = true
        try await apply(order)
        counters.withLock { $0.gaps += 1 }
        environment.report(.gap(reason))
    }

    /// Carries out a page of entries. Those that may be any purge come in numbers, as from a node with another clock or of a later
    /// version: the first has everything confirmed, and the others all together.
    private func carryOut(_ entries: [StreamEntry], _ isNew: Bool) async throws(Trouble) {
        var (hasDoubted, rest) = (false, Doubt?.none)
        for entry in entries {
            guard let doubt = try await carryOut(entry, isNew) else { continue }
            if !hasDoubted {
                try await confirmAll(because: doubt.reason, told: doubt.told, time: doubt.time)
            } else if rest == nil {
                rest = doubt
            } else {
                rest?.add(doubt)
            }
            hasDoubted = true
        }
        if let rest { try await confirmAll(because: rest.reason, told: rest.told, time: rest.time) }
    }

    /// - Returns: a doubt where the entry may be any purge; nothing is carried out then.
    private func carryOut(_ entry: StreamEntry, _ isNew: Bool) async throws(Trouble) -> Doubt? {
        switch entry.content {
        case .anchor: break
        case .unreadable: return Doubt(reason: .unreadable, told: entry.id)
        case .purge(let news):
            let highest = PurgeNews.highestNumber(at: environment.now())
            let (own, isKnown) = record.withLock { record in
                // Noted by a clock that has been set back since, they would hide what is purged from now on.
                record.forget(above: highest)
                return (record.node, record.knows(news.node, news.number))
            }
            let isOwn = news.node == own
            if isOwn, await withOutbox({ $0.gave(news.number) }) {
                if isBehind(entry.id.time) { try await carryOutAgain(news, told: entry.id.time) }
                record.withLock { _ = $0.note(own, news.number) }
                return nil
            }
            guard news.number <= highest else {
                return Doubt(reason: .ahead, told: entry.id, time: news.time)
            }
            if isKnown {
                if !isOwn { counters.withLock { $0.repeated += 1 } }
                return nil
            }
            // Its own as well: the folder was restored, with what this node has purged since it was copied.
            var order = news.order
            order.told = entry.id.time
            // By a clock that is ahead, this node dated what it wrote into a shared store until now.
            if isNew, configuration.readsAll { order.time = nil }
            try await apply(order)
            if isOwn { await withOutbox { $0.skip(to: news.number) } }
            _ = record.withLock { $0.note(news.node, news.number) }
            counters.withLock { $0.received += 1 }
            noteStep()
        }
        return nil
    }

    /// True if Redis took an entry when this node's clock had not come to that time, by far, and that matters: what others wrote
    /// into a shared store in between would be newer than a purge by this clock.
    private func isBehind(_ told: Timestamp) -> Bool {
        let (limit, isFar) = environment.now().milliseconds.addingReportingOverflow(Self.clockMargin)
        return configuration.readsAll && !isFar && told.milliseconds > limit
    }

    /// Milliseconds by which clocks may differ. Objects in a shared store that are as much younger than a purge count as purged.
    private static let clockMargin: Int64 = 5_000

    /// Carries out a purge of this node's once more, as one of the time at which Redis took it.
    private func carryOutAgain(_ news: PurgeNews, told: Timestamp) async throws(Trouble) {
        var order = news.order
        (order.told, order.time) = (told, nil)
        try await apply(order)
    }

    /// Carries out a purge. One that is carried out in memory and not on the disk holds up none behind it: only the position is
    /// not written, so that a restart carries it out again.
    private func apply(_ order: PurgeOrder) async throws(Trouble) {
        reading.withLock { $0.isBusy = true }
        defer { reading.withLock { $0.isBusy = false } }
        do throws(IndexUnreadable) { try await environment.apply(order) } catch {
            guard error.isCarriedOut else { throw .own(error.description) }
            noteUnwritten(error.description)
        }
    }

    // MARK: The position

    private func stand(at id: StreamID) async {
        await stand(.at(id))
        noteStep()
    }

    private func stand(_ position: NewsRecord.Position) async {
        record.withLock { $0.position = position }
        await write()
    }

    /// Writes the position, unless a purge before it is not on disk yet. Until it is written, a restart carries out again
    /// what was carried out.
    private func write() async {
        reading.withLock { $0.isBusy = true }
        defer { reading.withLock { $0.isBusy = false } }
        if reading.withLock({ $0.isUnwritten }), await !environment.settles() { return }
        let (path, text) = (recordPath, record.withLock { $0.text })
        let result = await files.perform {
            Result { () throws(SystemError) in try StateFile.replace(path, with: text) }
        }
        switch result {
        case .success: reading.withLock { $0.isUnwritten = false }
        case .failure(let error): noteUnwritten("the position cannot be written: \(error)")
        }
    }

    private func noteUnwritten(_ reason: String) {
        let isNew = reading.withLock { reading in
            defer { reading.isUnwritten = true }
            return !reading.isUnwritten
        }
        if isNew { environment.report(.unwritten(reason)) }
    }

    // MARK: Commands

    private func ask(_ command: RedisCommand) async throws(Trouble) -> RedisReply {
        do throws(RedisFailure) {
            return try await reader.send(command, within: configuration.commandTimeout, waits: true)
        } catch {
            throw .redis(error)
        }
    }

    /// The stream's last entry; nil for an empty one.
    private func last() async throws(Trouble) -> StreamID? {
        let reply = try await ask(["XREVRANGE", configuration.stream, "+", "-", "COUNT", "1"])
        guard let entries = StreamEntry.list(reply) else {
            throw .own("Redis's answer is no list of entries")
        }
        return entries.first?.id
    }

    /// Puts an entry into the stream that means nothing, and gives its name.
    private func anchor() async throws(Trouble) -> StreamID {
        let reply = try await ask(
            RedisCommand(
                [
                    "XADD", configuration.stream, "MAXLEN", "~", "\(configuration.streamLength)", "*",
                ] + StreamEntry.anchor))
        guard let id = reply.string.flatMap({ StreamID($0) }) else {
            throw .own("Redis's answer is no name of an entry")
        }
        return id
    }

    /// Waits until there is something behind the position, or for a second. The answer itself is not looked at: only from
    /// an answer that begins with the position is known that nothing was trimmed.
    private func waitForNews() async throws(Trouble) {
        guard let position = record.withLock({ $0.position }) else { return }
        let milliseconds = max(1, Int(configuration.block / .milliseconds(1)))
        do throws(RedisFailure) {
            _ = try await reader.send(
                [
                    "XREAD", "COUNT", "1", "BLOCK", "\(milliseconds)", "STREAMS", configuration.stream,
                    position.id.text,
                ], within: configuration.block + configuration.commandTimeout, waits: false)
        } catch {
            throw .redis(error)
        }
    }
}
