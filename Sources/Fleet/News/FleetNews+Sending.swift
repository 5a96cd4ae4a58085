// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension FleetNews {
    /// Sends what waits, in its order, until nothing does or the task ends.
    func sendAll() async {
        var isReported = false
        while !Task.isCancelled, let news = await withOutbox({ $0.waiting.first }) {
            do throws(RedisFailure) {
                let length = String(configuration.streamLength)
                let reply = try await link.send(
                    RedisCommand(
                        ["XADD", configuration.stream, "MAXLEN", "~", length, "*"] + news.fields),
                    within: configuration.commandTimeout, waits: true)
                guard let name = reply.string, StreamID(name) != nil else {
                    throw RedisFailure.refused("the answer is no name of an entry")
                }
                await confirm(news.number)
                isReported = false
            } catch {
                if case .closed = error { return }
                // The link reports that there is no connection.
                if case .refused(let words) = error, !isReported {
                    isReported = true
                    environment.report(.sending(words))
                }
                await rest()
            }
        }
    }

    private func confirm(_ number: UInt64) async {
        await withOutbox { $0.confirm(number) }
        counters.withLock { $0.sent += 1 }
        let confirmed = waiters.withLock { waiters in
            waiters.confirmed = max(waiters.confirmed, number)
            // Purges that became one with others as well.
            let confirmed = waiters.list.filter { $0.key <= number }
            for key in confirmed.keys { waiters.list[key] = nil }
            return confirmed
        }
        for (_, continuation) in confirmed { continuation.resume(returning: .told) }
    }
}
