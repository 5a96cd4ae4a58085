// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Clients
internal import HTTPSemantics
internal import HTTPServer
internal import Pipeline
internal import Platform
internal import Recipes
package import Settings
internal import Synchronization
internal import Telemetry
internal import Traces

/// Writes a line for each exchange, or for a part of them if there are too many, or none if the log is off. Its settings can be
/// replaced while it runs.
///
/// **Isolation:** atomics, and a `Mutex` around the rules, held while a reference is copied; the stream and the limit have locks
/// of their own.
package final class AccessLog: Sendable {
    /// A class, so that a line takes one reference and copies no lists.
    private final class Rules: Sendable {
        let format: AccessLine.Format
        let secrets: SecretParameters
        let limit: LogRateLimit?
        let sample: Int

        init(_ settings: Settings) {
            secrets = settings.secretParameters
            let settings = settings.log
            format = settings.format == .json ? .json : .logfmt
            limit = settings.accessRate > 0 ? LogRateLimit(linesPerSecond: settings.accessRate) : nil
            sample = max(settings.accessSample, 1)
        }
    }

    /// The stream that takes the lines.
    package let stream: LogStream
    private let isOn: Atomic<Bool>
    private let rules: Mutex<Rules>
    private let successes = Atomic<Int>(0)

    package init(_ settings: Settings, stream: LogStream) {
        self.stream = stream
        isOn = Atomic(settings.log.access)
        rules = Mutex(Rules(settings))
    }

    /// Applies other settings to the exchanges that end from now on. The limit of lines per second begins anew.
    package func replace(with settings: Settings) {
        // Made before the lock is taken, because it reads the profiles' file, and event loops wait for the lock.
        let new = Rules(settings)
        rules.withLock { $0 = new }
        isOn.store(settings.log.access, ordering: .relaxed)
    }

    /// The parameters that are hidden at present, even if no lines are written.
    var secrets: SecretParameters { rules.withLock(\.self).secrets }

    /// Called on an event loop, so it never blocks.
    func write(_ exchange: borrowing ExchangeRecord, _ tag: AnswerTag, _ trace: TraceID?) {
        guard isOn.load(ordering: .relaxed) else { return }
        let rules = rules.withLock(\.self)
        let sample = rules.sample
        let time = SystemEnvironment.now().milliseconds
        let isSampled = sample > 1 && exchange.status < 400
        if isSampled, !successes.wrappingAdd(1, ordering: .relaxed).oldValue.isMultiple(of: sample) { return }
        var leftOut = 0
        if let limit = rules.limit {
            guard let before = limit.admit(time / 1000) else { return }
            leftOut = before
        }
        let notes = exchange.notes as? AnswerNotes
        let peer = exchange.peer
        let (method, target) = (exchange.method, exchange.target)
        let (status, bytes, duration) = (exchange.status, exchange.bodyBytes, exchange.microseconds)
        exchange.withRequestID { id in
            peer.withDescription { peer in
                var line = AccessLine(
                    time: time, id: id, peer: peer, method: method, target: target, status: status,
                    bytes: bytes, microseconds: duration, outcome: tag.recordedOutcome.rawValue,
                    dialect: tag.dialect.value, error: tag.error)
                line.key = notes?.key?.digest
                line.trace = trace?.text
                line.stages = notes?.times.members ?? []
                (line.sample, line.leftOut) = (isSampled ? sample : 1, leftOut)
                stream.append { line.append(as: rules.format, hiding: rules.secrets, to: &$0) }
            }
        }
    }
}

extension StageTimes {
    /// The stages that took any time, with their names in the access log.
    fileprivate var members: [(name: StaticString, microseconds: Int)] {
        guard self != StageTimes() else { return [] }
        return Stage.allCases.compactMap { self[$0] > 0 ? ($0.member, self[$0]) : nil }
    }
}

extension StageTimes.Stage {
    fileprivate var member: StaticString {
        switch self {
        case .cache: "cache_us"
        case .origin: "origin_us"
        case .inspect: "inspect_us"
        case .queue: "queue_us"
        case .decode: "decode_us"
        case .encode: "encode_us"
        }
    }
}
