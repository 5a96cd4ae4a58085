// SPDX-License-Identifier: Apache-2.0

/// A question to the shared store for an entry. It goes on when no request waits for its answer any more, because the answer's
/// time tells when other looks are late, and its failure opens the store's breaker. That costs little: entries are small, and so
/// are bytes that come with them.
final class SharedLook<Body: Sendable>: Sendable {
    private let reading: Task<LookResult<SharedAnswer<Body>>, Never>
    private let soon: OneShot<LookResult<SharedAnswer<Body>>?>

    init(_ read: @escaping @Sendable () async -> LookResult<SharedAnswer<Body>>) {
        let soon = OneShot<LookResult<SharedAnswer<Body>>?>()
        self.soon = soon
        reading = Task {
            let answer = await read()
            soon.settle(.some(answer))
            return answer
        }
    }

    /// Ends the question. Neither the answer times nor the breaker learn from it.
    func cancel() { reading.cancel() }

    /// Waits for so many microseconds; nil if the answer came later, or the task is cancelled. Must be called once.
    func answer(after microseconds: Int64, _ alarms: Alarms) async -> LookResult<SharedAnswer<Body>>? {
        let alarm = alarms.set(after: microseconds) { [soon] in soon.settle(nil) }
        defer { alarms.putOff(alarm) }
        return await soon.value(ifCancelled: nil)
    }

    /// Waits until the end; nil if the task is cancelled.
    func answer() async -> LookResult<SharedAnswer<Body>>? {
        let end = OneShot<LookResult<SharedAnswer<Body>>?>()
        Task { end.settle(.some(await reading.value)) }
        return await end.value(ifCancelled: nil)
    }
}
