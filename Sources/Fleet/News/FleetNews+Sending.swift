// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension FleetNews {
    /// Sends the purges that wait, in their order, until none waits or the task ends.
    func sendAll() async {
        var isReported = false
        await publishLost()
        while !Task.isCancelled, let news = await withOutbox({ $0.waiting.first }) ?? nil {
            do throws(RedisFailure) {
                let reply = try await link.send(
                    configuration.command(adding: news.fields), within: configuration.commandTimeout,
                    waits: true)
                guard let name = reply.string, let id = StreamID(name) else {
                    throw RedisFailure.refused("the answer is not the ID of an entry")
                }
                sentPurges.withLock { $0.note(.init(id: id, news: news, ticks: environment.ticks())) }
                await noteSent(news.number)
                isReported = false
            } catch {
                if case .closed = error { return }
                // The link itself reports a missing connection.
                if case .refused(let words) = error, !isReported {
                    isReported = true
                    environment.report(.sending(words))
                }
                await rest()
            }
        }
    }

    /// After a failover of Redis, publishes again the purges that the former master had taken and the new one does not have. Each
    /// gets a new number, because the outbox sends in the order of the numbers, and nodes of a former version that have carried out
    /// later purges would take the old number for a repetition. A purge that Redis has trimmed looks lost as well, and is published
    /// twice.
    private func publishLost() async {
        let (connects, now) = (link.connects, environment.ticks())
        var (lost, isWhole) = (0, true)
        for purge in sentPurges.withLock({ $0.due(connects, at: now) }) {
            do throws(RedisFailure) {
                if try await hasEntry(purge.id) { continue }
            } catch {
                // The reader wakes the sender again.
                isWhole = false
                break
            }
            sentPurges.withLock { $0.remove(purge.id) }
            // If the disk does not take the purge, a restart forgets it.
            await withOutbox { _ = $0.add(purge.news.order, at: purge.news.time) }
            lost += 1
        }
        if isWhole { sentPurges.withLock { $0.noteLook(connects) } }
        if lost > 0 { environment.report(.lost(purges: lost)) }
    }

    private func hasEntry(_ id: StreamID) async throws(RedisFailure) -> Bool {
        let reply = try await link.send(
            ["XRANGE", configuration.stream, id.text, id.text], within: configuration.commandTimeout,
            waits: true)
        guard let entries = StreamEntry.list(reply) else {
            throw .refused("the answer is not a list of entries")
        }
        return !entries.isEmpty
    }

    /// Notes that Redis has this purge and all purges before it, and resumes the callers that wait for them.
    private func noteSent(_ number: UInt64) async {
        await withOutbox { $0.markSent(upTo: number) }
        counters.withLock { $0.sent += 1 }
        let confirmed = waiters.withLock { waiters in
            waiters.confirmed = max(waiters.confirmed, number)
            // This includes the callers of purges that the outbox has merged into one with a later number.
            let confirmed = waiters.list.filter { $0.key <= number }
            for key in confirmed.keys { waiters.list[key] = nil }
            return confirmed
        }
        for (_, continuation) in confirmed { continuation.resume(returning: .told) }
    }
}
