// SPDX-License-Identifier: Apache-2.0

/// Moments and spans here are microseconds of the monotonic clock.
typealias Ticks = Int64

extension Duration {
    var ticks: Ticks { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}

/// When a fetch has to be given up, and for what.
///
/// A fetch is at one stage at a time: connecting → waiting for the head → reading the body, and back to
/// connecting with each redirect. The total runs beside them. While the body arrives two things can go wrong:
/// nothing comes for `idle`, or what comes is a trickle, measured over windows as long as `idle`.
struct Deadlines {
    struct Limits {
        let connect: Ticks
        let firstByte: Ticks
        let idle: Ticks
        let total: Ticks
        /// Bytes that a window of `idle` must bring.
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
    }

    private let limits: Limits
    private let totalUntil: Ticks
    private var stage: Stage
    /// Of all bodies so far.
    private var bytes = 0

    init(_ limits: Limits, startedAt now: Ticks) {
        self.limits = limits
        totalUntil = now + limits.total
        stage = .connecting(until: now + limits.connect)
    }

    /// A redirect is followed.
    mutating func hopped(at now: Ticks) { stage = .connecting(until: now + limits.connect) }

    /// The request goes out.
    mutating func connected(at now: Ticks) { stage = .waiting(until: now + limits.firstByte) }

    mutating func headArrived(at now: Ticks) {
        stage = .reading(lastByte: now, windowEnd: now + limits.idle, windowBytes: 0)
    }

    mutating func received(_ count: Int, at now: Ticks) {
        bytes &+= count
        guard case .reading(_, let end, let bytes) = stage else { return }
        stage = .reading(lastByte: now, windowEnd: end, windowBytes: bytes + count)
    }

    /// Bytes a second since the fetch began; nil: it is too early to tell.
    func rate(at now: Ticks, after grace: Ticks) -> Int? {
        let elapsed = now - (totalUntil - limits.total)
        guard elapsed >= max(1, grace) else { return nil }
        // Cannot trap: no network brings 2^63 bytes a second.
        return Int(Double(bytes) * 1_000_000 / Double(elapsed))
    }

    /// The next moment at which `expired` could have something to say.
    var next: Ticks {
        switch stage {
        case .connecting(let until), .waiting(let until): min(until, totalUntil)
        case .reading(let lastByte, let windowEnd, _): min(lastByte + limits.idle, windowEnd, totalUntil)
        }
    }

    /// The deadline that has passed, or nil. A window that was good enough is followed by the next.
    mutating func expired(at now: Ticks) -> DownloadFailure.Stage? {
        if now >= totalUntil { return .total }
        switch stage {
        case .connecting(let until): return now >= until ? .connect : nil
        case .waiting(let until): return now >= until ? .firstByte : nil
        case .reading(let lastByte, let windowEnd, let bytes):
            if now >= lastByte + limits.idle { return .idle }
            guard now >= windowEnd else { return nil }
            if bytes < limits.windowBytes { return .idle }
            stage = .reading(lastByte: lastByte, windowEnd: now + limits.idle, windowBytes: 0)
            return nil
        }
    }
}
