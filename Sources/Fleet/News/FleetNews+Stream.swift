// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The reader's commands to Redis.
extension FleetNews {
    private func ask(_ command: RedisCommand) async throws(Trouble) -> RedisReply {
        do throws(RedisFailure) {
            return try await reader.send(command, within: configuration.commandTimeout, waits: true)
        } catch {
            throw .redis(error)
        }
    }

    /// The ID of the stream's last entry; nil if the stream is empty.
    func last() async throws(Trouble) -> StreamID? {
        try await entries(["XREVRANGE", configuration.stream, "+", "-", "COUNT", "1"]).first?.id
    }

    func entries(_ command: RedisCommand) async throws(Trouble) -> [StreamEntry] {
        guard let entries = StreamEntry.list(try await ask(command)) else {
            throw .own("Redis's answer is not a list of entries")
        }
        return entries
    }

    /// Adds an entry to the stream that is no purge (`StreamEntry.anchor`).
    /// - Returns: its ID.
    func anchor() async throws(Trouble) -> StreamID {
        let reply = try await ask(configuration.command(adding: StreamEntry.anchor))
        guard let id = reply.string.flatMap({ StreamID($0) }) else {
            throw .own("Redis's answer is not the ID of an entry")
        }
        return id
    }

    /// Waits until there is an entry behind the position, for `NewsConfiguration.block` at most. The answer is ignored, because
    /// only an answer that begins with the position proves that nothing was trimmed.
    func waitForNews() async throws(Trouble) {
        guard let position = record.withLock({ $0.position }) else { return }
        let milliseconds = max(1, configuration.block.wholeMilliseconds)
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
