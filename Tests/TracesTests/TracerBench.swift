// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Traces

/// Tracers whose clock moves only when the test moves it, and the spans that they kept.
final class TracerBench: Sendable {
    private let time = Mutex<UInt64>(1_700_000_000_000_000_000)
    private let kept = Mutex<[FinishedSpan]>([])

    func tracer(_ change: (inout SamplingRule) -> Void) -> RequestTracer {
        var rule = SamplingRule()
        change(&rule)
        return RequestTracer(
            rule, numbers: SpanNumbers(seeds: (1, 2, 3)), now: { self.time.withLock { $0 } },
            keep: { spans in self.kept.withLock { $0 += spans } })
    }

    func pass(_ microseconds: UInt64) { time.withLock { $0 += microseconds * 1000 } }

    var spans: [FinishedSpan] { kept.withLock { $0 } }
    var names: [String] { spans.map(\.name) }
}
