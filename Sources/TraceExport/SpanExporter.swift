// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Dispatch
package import Kernel
internal import Synchronization
package import Traces

/// Sends spans to a collector, on a thread of its own and in batches. Whoever hands spans over goes on at once.
///
/// Spans wait in a queue of bounded length, beside one batch that is being sent. While the collector is away, the batch is
/// tried again, the queue fills, and later spans are dropped and counted.
///
/// **Isolation:** the queue behind a `Mutex`, held for an append or a swap; the thread alone sends.
package final class SpanExporter: Sendable {
    /// What operators are told.
    package enum Event: Sendable, Equatable {
        /// A batch of so many spans was given up.
        case lost(spans: Int, reason: String)
        /// The collector left so many spans out of a batch that it took.
        case rejected(spans: Int, reason: String)
        /// The collector takes spans again.
        case recovered
    }

    /// Totals since the start.
    package struct Counters: Sendable, Equatable {
        /// Taken by the collector.
        package var exported = 0
        /// Not queued, because the queue was full.
        package var dropped = 0
        /// Given up after the collector refused them or left them out, or was away for too long.
        package var failed = 0

        /// Counters before the first event.
        package init() {}
    }

    /// What comes of a batch.
    private enum Fate {
        case taken(ExportAnswer)
        /// It is given up, for this reason.
        case lost(String)
    }

    private struct State {
        var waiting: [FinishedSpan] = []
        var counters = Counters()
        var isClosed = false
    }

    /// Spans of one request.
    static let batch = 512
    /// Milliseconds that spans wait for others.
    static let gathering = 1_000
    /// Tries of a batch: with pauses of 1, 2, 4 and 8 s between them, a collector may restart meanwhile.
    static let tries = 5
    /// The longest pause that a collector may ask for, in seconds.
    static let longestPause = 30
    /// Milliseconds for what waits at the end.
    static let farewell = 2_000

    private let state = Mutex(State())
    private let arrived = DispatchSemaphore(value: 0)
    private let hurry = DispatchSemaphore(value: 0)
    private let finished = DispatchSemaphore(value: 0)
    private let abort = Collector.AbortCheck()
    private let configuration: CollectorConfiguration
    private let report: @Sendable (Event) -> Void

    /// Starts the thread.
    /// - Parameter report: called on that thread.
    /// - Throws: if the thread cannot be started.
    package init(
        _ configuration: CollectorConfiguration, report: @escaping @Sendable (Event) -> Void
    ) throws(SystemError) {
        self.configuration = configuration
        self.report = report
        // Once more than the downloader, which libcurl counts; before any thread needs it.
        curl_global_init(Int(CURL_GLOBAL_ALL))
        try WorkerThread("trace-export") { [self] in
            sendAll()
            finished.signal()
        }.detach()
    }

    /// The counters of this moment.
    package var counters: Counters { state.withLock { $0.counters } }

    /// Queues the spans; none of them if there is no room for all. Never waits.
    package func take(_ spans: [FinishedSpan]) {
        let (before, after) = state.withLock { state in
            let before = state.waiting.count
            guard !state.isClosed, before + spans.count <= configuration.queue else {
                state.counters.dropped += spans.count
                return (before, before)
            }
            state.waiting += spans
            return (before, state.waiting.count)
        }
        if before == 0, after > 0 { arrived.signal() }
        if before < Self.batch, after >= Self.batch { hurry.signal() }
    }

    /// Sends what waits, for at most `farewell`; later spans are dropped.
    package func close() {
        state.withLock { $0.isClosed = true }
        arrived.signal()
        hurry.signal()
        if finished.wait(timeout: .now() + .milliseconds(Self.farewell)) == .timedOut {
            abort.isDue.store(true, ordering: .relaxed)
        }
    }

    // MARK: On the thread

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func sendAll() {
        let collector = Collector(configuration, abort: abort)
        var isAway = false
        while let spans = nextBatch() {
            guard !spans.isEmpty else { continue }
            let message = ExportRequest(spans, from: configuration.resource).bytes
            switch collector.map({ send(message, to: $0) }) ?? .lost("libcurl does not take the endpoint") {
            case .taken(let answer):
                let rejected = min(answer.rejected, spans.count)
                count(exported: spans.count - rejected, failed: rejected)
                if rejected > 0 { report(.rejected(spans: rejected, reason: answer.words)) }
                if isAway { report(.recovered) }
                isAway = false
            case .lost(let reason):
                count(exported: 0, failed: spans.count)
                report(.lost(spans: spans.count, reason: reason))
                isAway = true
            }
        }
    }

    private func count(exported: Int, failed: Int) {
        state.withLock { state in
            state.counters.exported += exported
            state.counters.failed += failed
        }
    }

    /// Waits for spans, and then for others; nil after the last ones.
    private func nextBatch() -> [FinishedSpan]? {
        if state.withLock({ $0.waiting.isEmpty && !$0.isClosed }) { arrived.wait() }
        if state.withLock({ $0.waiting.count < Self.batch && !$0.isClosed }) {
            _ = hurry.wait(timeout: .now() + .milliseconds(Self.gathering))
        }
        return state.withLock { state in
            if state.waiting.isEmpty { return state.isClosed ? nil : [] }
            let batch = Array(state.waiting.prefix(Self.batch))
            state.waiting = Array(state.waiting.dropFirst(batch.count))
            return batch
        }
    }

    private func send(_ message: [UInt8], to collector: Collector) -> Fate {
        var reason = ""
        for number in 0..<Self.tries {
            switch collector.post(message) {
            case .accepted(let answer): return .taken(answer)
            case .refused(let words): return .lost(words)
            case .later(let words, let seconds):
                reason = words
                guard number + 1 < Self.tries, !isClosed else { return .lost(reason) }
                let pause = min(seconds ?? 1 << number, Self.longestPause)
                // A full batch may call meanwhile; it waits for this one all the same.
                let end = DispatchTime.now() + .seconds(pause)
                while !isClosed, hurry.wait(timeout: end) == .success {}
            }
        }
        return .lost(reason)
    }
}
