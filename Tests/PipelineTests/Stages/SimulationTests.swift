// SPDX-License-Identifier: Apache-2.0
//
// Two independent accounts of the same day. The pipeline is asked through its ports, with a clock that the test moves. Beside it, a
// few lines of arithmetic for each original, from RFC 9111 §4.2, RFC 5861 and the negative policy's comments, predict how often an
// origin must have been asked. Neither uses the other.

import HTTPCaching
import HTTPSemantics
@testable import Pipeline
import RandomInputs
import Recipes
import SourceURLs
import Synchronization
import Testing

@Suite("In a day over 5,000 originals, origins are asked as often as the RFCs' arithmetic says")
struct SimulationTests {
    private static let originals = 5_000
    private static let day = 86_400

    @Test(.timeLimit(.minutes(5))) func `a day`() async throws {
        var random = SeededRandom(for: "Simulation")
        let seed = random.seed
        let sites = (0..<Self.originals).map { Site(number: $0, using: &random) }
        let visits = Self.visits(to: sites.count, using: &random)

        let node = DayNode(sites)
        var predictions = sites.map { Prediction(of: $0) }
        for visit in visits {
            let surprise = try await node.visit(visit.original, at: visit.second)
            #expect(surprise == nil, "seed \(seed), second \(visit.second): \(sites[visit.original])")
            predictions[visit.original].visit(at: visit.second)
        }

        let asked = node.origin.asked
        var table: [Site.Kind: (originals: Int, predicted: Int, counted: Int)] = [:]
        for (site, prediction) in zip(sites, predictions) {
            let counted = asked[site.number]
            #expect(counted == prediction.requests, "seed \(seed): \(site)")
            let row = table[site.kind] ?? (0, 0, 0)
            table[site.kind] = (row.0 + 1, row.1 + prediction.requests, row.2 + counted)
        }
        print(
            "seed \(seed): \(visits.count) requests of clients in 24 hours\n  originals predicted   counted")
        for kind in Site.Kind.allCases {
            let row = table[kind] ?? (0, 0, 0)
            print(Self.columns(row.originals, row.predicted, row.counted) + "  \(kind)")
        }
        let predicted = predictions.reduce(0) { $0 + $1.requests }
        print(Self.columns(sites.count, predicted, asked.reduce(0, +)) + "  in all")
        #expect(asked.reduce(0, +) == predicted)
        #expect(Set(table.keys) == Set(Site.Kind.allCases))
    }

    private static func columns(_ numbers: Int...) -> String {
        numbers.map { String(repeating: " ", count: max(0, 10 - "\($0)".count)) + "\($0)" }.joined(
            separator: " ")
    }

    /// The visits in order of time: each original now and then, and every second time once or more again within seconds.
    private static func visits(
        to count: Int, using random: inout SeededRandom
    ) -> [(second: Int, original: Int)] {
        var visits: [(second: Int, original: Int)] = []
        for original in 0..<count {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                var second = Int.random(in: 0..<day, using: &random)
                visits.append((second, original))
                while Bool.random(using: &random), second < day - 20 {
                    second += Int.random(in: 1...12, using: &random)
                    visits.append((second, original))
                }
            }
        }
        return visits.sorted { ($0.second, $0.original) < ($1.second, $1.original) }
    }
}

/// An original and the habits of its origin. Durations in seconds.
private struct Site {
    enum Kind: CaseIterable {
        case maxAge, sharedMaxAge, expires, oldOnArrival, guessed, said, noCache, noStore, targeted
        case staleWhileRevalidate, staleIfError, mustRevalidate
        case gone, goneForAWhile, failing, failingForAWhile, pausing, refusing, noPicture
    }

    let number: Int
    let kind: Kind
    /// The given lifetime, or (guessed) the time since the last change when the day began.
    let lifetime: Int
    let grace: Int
    /// Of every four hours, the one in which an unreliable origin fails.
    let badHour: Int

    init(number: Int, using random: inout SeededRandom) {
        self.number = number
        kind = Kind.allCases[number % Kind.allCases.count]
        // Short and long lifetimes are equally frequent.
        lifetime = 1 << Int.random(in: 0...16, using: &random) + Int.random(in: 0...9, using: &random)
        grace = Int.random(in: 0...20_000, using: &random)
        badHour = Int.random(in: 0...3, using: &random)
    }

    func fails(at second: Int) -> Bool { second / 3600 % 4 == badHour }
}

// MARK: The arithmetic

/// How often an origin is asked, calculated from the visits alone.
private struct Prediction {
    private let site: Site
    private(set) var requests = 0
    /// Until when the last response is fresh.
    private var freshUntil: Int?
    /// Until when a failure is answered without asking, and until when another such failure counts as the second.
    private var knownUntil = 0
    private var suspectUntil = 0

    init(of site: Site) { self.site = site }

    mutating func visit(at second: Int) {
        if let freshUntil, second < freshUntil { return }
        if second < knownUntil { return }
        let mayBeStale = site.kind == .staleIfError && freshUntil.map { second - $0 < site.grace } ?? false
        if mayBeStale, second < suspectUntil { return }
        requests += 1
        switch site.kind {
        case .maxAge, .sharedMaxAge, .expires, .targeted, .staleWhileRevalidate, .said:
            freshUntil = second + site.lifetime
        case .oldOnArrival: freshUntil = second + site.lifetime - site.lifetime / 2
        case .guessed: freshUntil = second + min((second + site.lifetime) / 10, 86_400)
        case .noCache, .noStore: freshUntil = second
        case .staleIfError, .mustRevalidate:
            if site.fails(at: second) { suspect(at: second, for: 5) } else { succeed(at: second) }
        case .gone: knownUntil = second + 60
        case .goneForAWhile, .failingForAWhile, .pausing: knownUntil = second + min(site.lifetime, 300)
        case .noPicture: knownUntil = second + min(site.lifetime, 60)
        case .failing: suspect(at: second, for: 5)
        case .refusing: suspect(at: second, for: 10)
        }
    }

    private mutating func succeed(at second: Int) {
        freshUntil = second + site.lifetime
        suspectUntil = 0
    }

    private mutating func suspect(at second: Int, for time: Int) {
        if second < suspectUntil { knownUntil = second + time }
        suspectUntil = max(second, knownUntil) + time
    }
}

// MARK: The pipeline

private struct DayNode {
    let clock = HandMovedClock()
    let origin: DayOrigin
    private let pipeline: Pipeline<TestBody>

    init(_ sites: [Site]) {
        origin = DayOrigin(sites, clock)
        var caching = CachePolicy()
        caching.defaultStaleIfError = 0
        pipeline = Pipeline(
            PipelinePorts(
                origin: origin, cache: MemoryCache(), decoder: ScriptedDecoder(gate: Gate(open: true)),
                environment: clock),
            configuration: PipelineConfiguration(
                engine: EngineVersion(library: "day"), fetches: AdmissionLimits(permits: 100),
                decodes: AdmissionLimits(permits: 100),
                caching: caching))
    }

    /// - Returns: a sentence if the forecast was wrong; nil if it was right.
    func visit(_ original: Int, at second: Int) async throws -> String? {
        clock.advance(seconds: Double(second) - Double(clock.ticks()) / 1_000_000)
        let source = SourceURL(scheme: .http, host: "\(original).test", port: 80, target: "/\(original)")
        let request = PipelineRequest(source: source, recipe: Recipe())
        let told = await pipeline.explain(request)
        let before = origin.asked[original]
        var outcome: Outcome
        var asked: Bool
        var failed = false
        do throws(PipelineFailure) {
            let answer = try await pipeline.answer(request)
            (outcome, asked) = (answer.outcome, answer.forwarding != nil)
            failed = answer.outcome == .stale && asked
            // Whether a response may be kept is only known when it arrives.
            if answer.outcome == .bypassed { outcome = .rendered }
        } catch {
            (outcome, asked, failed) = (error.outcome, !error.isFromMemory, true)
        }
        try await until { pipeline.workInFlight == 0 }
        guard told.waitsForOrigin == asked else { return "\(outcome), and not: \(told.why)" }
        if !asked, outcome != .stale, origin.asked[original] != before {
            return "asked, and not: \(told.why)"
        }
        // The forecast cannot know whether the origin fails this time.
        return failed && asked || told.outcome == outcome
            ? nil : "\(outcome), and not: \(told.outcome), \(told.why)"
    }
}

/// Answers as its sites would at this second.
private final class DayOrigin: OriginPort {
    private let sites: [Site]
    private let clock: HandMovedClock
    private let counts: Mutex<[Int]>

    init(_ sites: [Site], _ clock: HandMovedClock) {
        self.sites = sites
        self.clock = clock
        counts = Mutex(Array(repeating: 0, count: sites.count))
    }

    var asked: [Int] { counts.withLock(\.self) }

    func giveWay(to waiting: Int) {}

    func permits(_ source: SourceURL) -> Bool { true }

    func fetch(_ request: OriginRequest) async throws(FailedExchange) -> OriginReply<TestBody> {
        let site = sites[Int(request.source.target.dropFirst()) ?? 0]
        counts.withLock { $0[site.number] += 1 }
        let now = clock.now()
        let (status, fields) = answer(site, now)
        return OriginReply(
            payload: payload(site, status, request.validators), fields: fields, by: Transit(at: now))
    }

    private func payload(
        _ site: Site, _ status: Int, _ validators: Validators
    ) -> OriginReply<TestBody>.Payload {
        if status != 200 { return .refused(status: status) }
        if validators.entityTag == "\"\(site.number)\"" { return .notModified }
        var body = TestBody(content: "\(site.number)")
        if site.kind == .noPicture { body.header = nil }
        return .complete(body: body, length: body.content.utf8.count, digest: body.digest)
    }

    private func answer(_ site: Site, _ now: Timestamp) -> (status: Int, Fields) {
        let life = site.lifetime
        let second = Int(clock.ticks() / 1_000_000)
        func date(_ distance: Int) -> String { HTTPDate.format(now.adding(seconds: Int64(distance))) }
        func picture(_ lines: (String, String)...) -> (Int, Fields) {
            (200, Self.fields(lines + [("ETag", "\"\(site.number)\""), ("Date", date(0))]))
        }
        func error(_ status: Int, _ lines: (String, String)...) -> (Int, Fields) {
            (status, Self.fields(lines))
        }
        switch site.kind {
        case .maxAge: return picture(("Cache-Control", "max-age=\(life)"))
        case .sharedMaxAge: return picture(("Cache-Control", "s-maxage=\(life), max-age=\(life / 3)"))
        case .expires: return picture(("Expires", date(life)))
        case .oldOnArrival: return picture(("Cache-Control", "max-age=\(life)"), ("Age", "\(life / 2)"))
        case .guessed: return picture(("Last-Modified", date(-second - life)))
        case .said:
            return picture(("Cache-Control", "max-age=\(life)"), ("Last-Modified", date(-second - life)))
        case .noCache: return picture(("Cache-Control", "no-cache, max-age=\(life)"))
        case .noStore: return picture(("Cache-Control", "no-store, max-age=\(life)"))
        case .targeted:
            return picture(("CDN-Cache-Control", "max-age=\(life)"), ("Cache-Control", "no-store"))
        case .staleWhileRevalidate:
            return picture(("Cache-Control", "max-age=\(life), stale-while-revalidate=\(site.grace)"))
        case .staleIfError, .mustRevalidate:
            if site.fails(at: second) { return error(503) }
            let directive = site.kind == .mustRevalidate ? ", must-revalidate" : ""
            return picture(("Cache-Control", "max-age=\(life), stale-if-error=\(site.grace)\(directive)"))
        case .gone: return error(404)
        case .goneForAWhile: return error(410, ("Cache-Control", "max-age=\(life)"))
        case .failing: return error(500)
        case .failingForAWhile: return error(500, ("Cache-Control", "max-age=\(life)"))
        case .pausing: return error(429, ("Retry-After", "\(life)"))
        case .refusing: return error(403)
        case .noPicture: return picture(("Cache-Control", "max-age=\(life)"))
        }
    }

    private static func fields(_ lines: [(String, String)]) -> Fields {
        Fields(lines.map { Fields.Field($0.0, $0.1) })
    }
}
