// SPDX-License-Identifier: Apache-2.0

/// A read of an original's entry in the shared store. It continues when no request waits for it any more, because its duration helps
/// to tell when other looks are late, and its failure opens the store's breaker. That costs little, because entries are small, and so
/// are the bodies that come with them.
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

    /// Cancels the read. Neither the answer times nor the breaker learn from it.
    func cancel() { reading.cancel() }

    /// Waits for this many microseconds; nil if the answer is later, or the task is cancelled. Must be called once.
    func answer(after microseconds: Int64, _ alarms: Alarms) async -> LookResult<SharedAnswer<Body>>? {
        let alarm = alarms.set(after: microseconds) { [soon] in soon.settle(nil) }
        defer { alarms.putOff(alarm) }
        return await soon.value(ifCancelled: nil)
    }

    /// Waits for the answer; nil if the task is cancelled.
    func answer() async -> LookResult<SharedAnswer<Body>>? {
        let end = OneShot<LookResult<SharedAnswer<Body>>?>()
        Task { end.settle(.some(await reading.value)) }
        return await end.value(ifCancelled: nil)
    }
}
