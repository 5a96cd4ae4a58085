// SPDX-License-Identifier: Apache-2.0
//
//   the look                         the fetch
//   reads the entry
//   │  late?       ─────────────────▶ its turn, its permit, the origin     a hedged request (Dean and Barroso,
//   reads the bytes, if not in it     │                                    "The Tail at Scale", 2013)
//   │  late?       ─────────────────▶ │
//   fresh: cancels the fetch          an answer: the look is of no use any more
//          └────────────────┬─────────┘
//                           ▼
//            one after the other: what the fetch has kept stays; the store's original is taken over only without that
//
// A look changes nothing in the caches, so a late look cannot replace the origin's answer by an older original.

internal import HTTPCaching
internal import SourceURLs
internal import Traces

/// The result of a look into the shared store for an original, and of the origin's answer where the look was late.
enum HedgedLook<Body: Sendable>: Sendable {
    /// The store had this original, or nothing; the origin was not asked.
    case looked(LookResult<SharedFinding<Body>>)
    /// The origin was asked as well. `hasLooked` is false if the look ended after the fetch.
    case hedged(Result<Arrival<Body>, PipelineFailure>, SharedFinding<Body>?, hasLooked: Bool)
}

/// The fetch that starts beside a late look.
struct HedgingFetch<Body: Sendable>: Sendable {
    /// Asked when the look is late; false if the origin must not be asked beside it.
    let mayStart: @Sendable () -> Bool
    /// Asks the origin; is cancelled when the store has a fresh original.
    let run: @Sendable () async -> Result<Arrival<Body>, PipelineFailure>
}

extension Pipeline {
    /// The slowest delivery of an original by a store that does not count as late, in bytes per microsecond: 10 MB a second.
    private static var slowestStore: Int64 { 10 }

    /// Looks into the shared store for an original, and if the look is late starts `fetch` beside it. Returns once both have ended.
    func hedgedLook(
        _ wanted: FetchRequest, over held: Original?, beside fetch: HedgingFetch<Body>
    ) async -> HedgedLook<Body> {
        let key = wanted.key
        guard let times = cache.lookTimes, times.late < times.deadline else {
            return await traced("shared store") { _ in
                .looked(await content(of: await cache.sharedOriginal(key), over: held))
            }
        }
        let look = SharedLook { [cache] in await cache.sharedOriginal(key) }
        defer { if Task.isCancelled { look.cancel() } }
        let answer = await traced("shared store") { _ in
            await look.answer(after: times.late, alarms)
        }
        switch answer {
        case .absent?: return .looked(.absent)
        case .silent?: return .looked(.silent)
        case .found(let answer)?:
            let entry = answer.entry
            guard isOfUse(entry, over: held), held?.digest != entry.digest, answer.body == nil else {
                return .looked(await content(of: .found(answer), over: held))
            }
            // The first byte of the body may take as long again, and the rest the time for its length at the slowest rate.
            let late = times.late + Int64(clamping: entry.length) / Self.slowestStore
            return await race(look, for: wanted, over: held, late: late, beside: fetch)
        case nil:
            guard !Task.isCancelled else { return .looked(.absent) }
            return await race(look, for: wanted, over: held, late: 0, beside: fetch)
        }
    }

    private enum Finish: Sendable {
        case look(LookResult<SharedFinding<Body>>)
        /// Nil if the fetch was not started.
        case fetch(Result<Arrival<Body>, PipelineFailure>?)
    }

    /// What a hedge waits to hear about the look.
    private enum LookProgress: Sendable {
        case isLate, hasEnded
    }

    /// - Parameter late: microseconds after which the look is late.
    private func race(
        _ look: SharedLook<Body>, for wanted: FetchRequest, over held: Original?, late: Int64,
        beside fetch: HedgingFetch<Body>
    ) async -> HedgedLook<Body> {
        let progress = OneShot<LookProgress>()
        let alarm = late > 0 ? alarms.set(after: late) { progress.settle(.isLate) } : nil
        if alarm == nil { progress.settle(.isLate) }
        defer { if let alarm { alarms.putOff(alarm) } }
        return await withTaskGroup(of: Finish.self) { group in
            group.addTask {
                .look(
                    await traced("shared store") { _ in
                        await self.content(of: await look.answer() ?? .absent, over: held)
                    })
            }
            group.addTask {
                guard await progress.value(ifCancelled: .hasEnded) == .isLate, fetch.mayStart() else {
                    return .fetch(nil)
                }
                return .fetch(await fetch.run())
            }
            var (found, hasLooked): (LookResult<SharedFinding<Body>>, Bool) = (.absent, false)
            var fetched: Result<Arrival<Body>, PipelineFailure>?
            for await finish in group {
                switch finish {
                case .look(let finding):
                    (found, hasLooked) = (finding, fetched == nil)
                    progress.settle(.hasEnded)
                    if let found = finding.found, isFresh(found.entry.freshness) { group.cancelAll() }
                case .fetch(let result):
                    fetched = result
                    // If the origin failed, the look goes on, because the store may have the original.
                    if let result, wanted.isDecided(by: result) { group.cancelAll() }
                }
            }
            return fetched.map { .hedged($0, found.found, hasLooked: hasLooked) } ?? .looked(found)
        }
    }
}

extension FetchRequest {
    /// True if this result of the fetch makes the look useless: a success, or a failure that invalidates the original.
    fileprivate func isDecided<Found>(by result: Result<Found, PipelineFailure>) -> Bool {
        switch result {
        case .success: true
        case .failure(let failure): isSuperseded(by: failure)
        }
    }
}
