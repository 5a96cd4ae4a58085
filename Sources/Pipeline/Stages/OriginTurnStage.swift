// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import SourceURLs
internal import Traces

/// Microseconds between two questions for a slot: a fetch takes some 100 ms.
private let pauses: ClosedRange<Int64> = 10_000...100_000

extension Pipeline {
    /// Waits until the fleet lets a fetch begin that this node has admitted already.
    /// - Parameter deadline: ticks after which the request is refused.
    /// - Returns: to be left after the fetch; nil if this node decides alone.
    /// - Throws: `.overloaded`, or `.cancelled` if nobody wants the fetch any more.
    func originTurn(
        _ source: SourceURL, until deadline: Int64
    ) async throws(PipelineFailure) -> OriginSlot? {
        guard let port = originLimits, let name = originName(source) else { return nil }
        let limits = OriginLimits(
            fetches: configuration.fetches.permitsPerGroup, rate: configuration.fetches.ratePerGroup)
        let started = environment.ticks()
        let verdict = await traced("fleet slot") { _ in
            await wait(for: name, at: port, limits, until: deadline)
        }
        originTurnCounters.count(verdict, waited: environment.ticks() - started)
        guard !Task.isCancelled else {
            if case .entered(let slot) = verdict { port.leave(slot) }
            throw .cancelled
        }
        switch verdict {
        case .entered(let slot): return slot
        case .unavailable: return nil
        case .full: throw .overloaded(retryAfter: 1)
        case .early(let wait): throw .overloaded(retryAfter: max(1, Int(clamping: wait / 1_000_000)))
        }
    }

    private func wait(
        for name: String, at port: any OriginLimitPort, _ limits: OriginLimits, until deadline: Int64
    ) async -> OriginVerdict {
        var pause = pauses.lowerBound
        while true {
            let verdict = await port.enter(name, limits)
            let rest: Int64
            switch verdict {
            case .entered, .unavailable: return verdict
            case .full: rest = 0
            case .early(let wait): rest = wait
            }
            guard !Task.isCancelled, environment.ticks() + rest < deadline else { return verdict }
            await environment.pause(microseconds: rest + jittered(pause))
            guard !Task.isCancelled else { return verdict }
            pause = min(pause * 3 / 2, pauses.upperBound)
        }
    }

    /// The origin's name in the fleet; nil for a folder, which is this machine's.
    func originName(_ source: SourceURL) -> String? {
        guard source.origin.scheme != .file else { return nil }
        return environment.sha256(Array(source.origin.group.utf8)).hex
    }
}
