// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension FleetNews {
    /// Sends what waits, in its order, until nothing does or the task ends.
    func sendAll() async {
        var isTold = false
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
                isTold = false
            } catch {
                if case .closed = error { return }
                // That there is no connection the link tells.
                if case .refused(let words) = error, !isTold {
                    isTold = true
                    environment.report(.sending(words))
                }
                await rest()
            }
        }
    }

    private func confirm(_ number: UInt64) async {
        await withOutbox { $0.confirm(number) }
        counters.withLock { $0.sent += 1 }
        let told = waiters.withLock { waiters in
            waiters.confirmed = max(waiters.confirmed, number)
            // Those that became one with others as well.
            let told = waiters.list.filter { $0.key <= number }
            for key in told.keys { waiters.list[key] = nil }
            return told
        }
        for (_, continuation) in told { continuation.resume(returning: .told) }
    }
}
