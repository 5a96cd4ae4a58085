// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Dispatch
package import Kernel
internal import Synchronization
package import Traces

/// Sends spans to a collector, on a thread of its own and in batches. Callers of `take` do not wait.
///
/// Spans wait in a queue of limited length while one batch is being sent. While the collector cannot be reached, the batch is
/// tried again, the queue fills, and further spans are dropped and counted.
///
/// **Isolation:** a `Mutex` guards the queue, held for an append or a swap; only the thread sends.
package final class SpanExporter: Sendable {
    /// An event for operators.
    package enum Event: Sendable, Equatable {
        /// A batch of so many spans was given up.
        case lost(spans: Int, reason: String)
        /// The collector accepted a batch but rejected so many of its spans.
        case rejected(spans: Int, reason: String)
        /// The collector accepts spans again.
        case recovered
    }

    /// Totals since the start.
    package struct Counters: Sendable, Equatable {
        /// Spans that the collector accepted.
        package var exported = 0
        /// Spans that were not queued, because the queue was full.
        package var dropped = 0
        /// Spans that were given up after the collector refused or rejected them, or could not be reached for too long.
        package var failed = 0

        package init() {}
    }

    /// The result of sending a batch.
    private enum Fate {
        case taken(ExportAnswer)
        /// The batch is given up, for this reason.
        case lost(String)
    }

    private struct State {
        var waiting: [FinishedSpan] = []
        var counters = Counters()
        var isClosed = false
    }

    /// The most spans in one request.
    static let batch = 512
    /// Milliseconds for which a batch waits for more spans.
    static let gathering = 1_000
    /// How often a batch is tried. The pauses of 1, 2, 4 and 8 s between the tries give a collector time to restart.
    static let tries = 5
    /// The longest pause in seconds that a collector may ask for.
    static let longestPause = 30
    /// Milliseconds for sending the remaining spans at the end.
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
        // libcurl counts its initializations, so this one adds to the downloader's; it must come before any thread needs libcurl.
        curl_global_init(Int(CURL_GLOBAL_ALL))
        try WorkerThread("trace-export") { [self] in
            sendAll()
            finished.signal()
        }.detach()
    }

    /// The present counters.
    package var counters: Counters { state.withLock { $0.counters } }

    /// Queues the spans, or none of them if the queue has no room for all. Never waits.
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

    /// Sends the remaining spans, for at most `farewell`; later spans are dropped.
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

    /// Waits for a first span and then a while for more; nil after the last batch.
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
                // A full queue may signal meanwhile, but this batch still waits for its pause.
                let end = DispatchTime.now() + .seconds(pause)
                while !isClosed, hurry.wait(timeout: end) == .success {}
            }
        }
        return .lost(reason)
    }
}
