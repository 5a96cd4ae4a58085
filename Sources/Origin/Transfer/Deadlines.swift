// SPDX-License-Identifier: Apache-2.0

/// The deadlines of one fetch, and which of them has passed.
///
/// A fetch is in one stage at a time: connecting → waiting for the head → reading the body, and back to connecting with each
/// redirect. The total runs beside them. A body fails in two ways: nothing arrives for `idle`, or a window as long as `idle`
/// brings too few bytes. A body that is not kept is mostly drained for a moment instead.
struct Deadlines {
    /// How many microseconds the rest of a body that is not kept may take; a new connection takes less.
    static let drain: Ticks = 500_000

    struct Limits {
        let connect: Ticks
        let firstByte: Ticks
        let idle: Ticks
        let total: Ticks
        /// The fewest bytes that must arrive within a window of `idle`.
        let windowBytes: Int

        init(_ configuration: OriginConfiguration) {
            connect = configuration.connectTimeout.ticks
            firstByte = configuration.firstByteTimeout.ticks
            idle = configuration.idleTimeout.ticks
            total = configuration.totalTimeout.ticks
            windowBytes = Int(Int64(configuration.minimumRate) * idle / 1_000_000)
        }
    }

    private enum Stage {
        case connecting(until: Ticks)
        case waiting(until: Ticks)
        case reading(lastByte: Ticks, windowEnd: Ticks, windowBytes: Int)
        case draining(until: Ticks)
    }

    private let limits: Limits
    private let totalUntil: Ticks
    private var stage: Stage
    /// Bytes received of all bodies of the fetch.
    private var bytes = 0

    init(_ limits: Limits, startedAt now: Ticks) {
        self.limits = limits
        totalUntil = now + limits.total
        stage = .connecting(until: now + limits.connect)
    }

    /// Called when the fetch follows a redirect.
    mutating func hopped(at now: Ticks) { stage = .connecting(until: now + limits.connect) }

    /// Called when the connection is ready and the request goes out.
    mutating func connected(at now: Ticks) { stage = .waiting(until: now + limits.firstByte) }

    mutating func headArrived(at now: Ticks) {
        stage = .reading(lastByte: now, windowEnd: now + limits.idle, windowBytes: 0)
    }

    /// Called when the head has told everything that is needed of the answer.
    mutating func drains(since now: Ticks) { stage = .draining(until: now + min(Self.drain, limits.idle)) }

    mutating func received(_ count: Int, at now: Ticks) {
        bytes &+= count
        guard case .reading(_, let end, let bytes) = stage else { return }
        stage = .reading(lastByte: now, windowEnd: end, windowBytes: bytes + count)
    }

    /// Bytes per second since the fetch began; nil before `grace` has passed.
    func rate(at now: Ticks, after grace: Ticks) -> Int? {
        let elapsed = now - (totalUntil - limits.total)
        guard elapsed >= max(1, grace) else { return nil }
        // Cannot trap: no network brings 2^63 bytes a second.
        return Int(Double(bytes) * 1_000_000 / Double(elapsed))
    }

    /// The earliest moment at which `expired` can return a stage.
    var next: Ticks {
        switch stage {
        case .connecting(let until), .waiting(let until), .draining(let until): min(until, totalUntil)
        case .reading(let lastByte, let windowEnd, _): min(lastByte + limits.idle, windowEnd, totalUntil)
        }
    }

    /// The deadline that has passed; nil if none has. Starts the next window if the last one brought enough
    /// bytes.
    mutating func expired(at now: Ticks) -> DownloadFailure.Stage? {
        if now >= totalUntil { return .total }
        switch stage {
        case .connecting(let until): return now >= until ? .connect : nil
        case .waiting(let until): return now >= until ? .firstByte : nil
        case .draining(let until): return now >= until ? .idle : nil
        case .reading(let lastByte, let windowEnd, let bytes):
            if now >= lastByte + limits.idle { return .idle }
            guard now >= windowEnd else { return nil }
            if bytes < limits.windowBytes { return .idle }
            stage = .reading(lastByte: lastByte, windowEnd: now + limits.idle, windowBytes: 0)
            return nil
        }
    }
}
