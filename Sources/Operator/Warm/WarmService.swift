// SPDX-License-Identifier: Apache-2.0

internal import Endpoints
internal import Foundation
internal import JSON
internal import Kernel
internal import Synchronization

/// Asks a daemon for pictures, so that it has them: over several connections, no faster than it is told to.
package struct WarmService: Sendable {
    /// The result for one target.
    package struct Result: Sendable, Equatable {
        package let target: String
        /// The HTTP status; 0 where there was no answer.
        package var status = 0
        /// How the daemon came to the picture, as in `Cache-Status`; or the error's code; or why there is no answer, with
        /// the address.
        package var word: String
        /// The note on a picture that stands in for an AVIF (`encoder.avif-later`); nil for others.
        fileprivate var substitute: Substitute?

        /// True if there is the picture that clients are to get.
        package var isGood: Bool { hasPicture && substitute == nil }

        fileprivate var hasPicture: Bool { (200..<400).contains(status) }

        /// One object on a line.
        package var json: String {
            JSONText.object([
                ("target", .text(target)), ("status", .number(status)),
                (isGood ? "outcome" : "error", .text(word)),
            ])
        }

        /// One line for people. A target has no byte but printable ones of ASCII.
        package var line: String {
            status == 0 ? "\(target): \(word)" : "\(target): \(status) \(word)"
        }
    }

    /// Targets asked at a time.
    private let connections: Int
    /// Targets begun in a second; nil = as many as come.
    private let rate: Double?
    private let client: DaemonClient
    /// Field lines of each request.
    private let fields: String

    /// - Parameters:
    ///   - address: of a public listener, as in `server.listen`.
    ///   - accept: the value of `Accept`, which `output=auto` chooses by; empty = none. Without control characters.
    package init(_ address: String, accept: String, connections: Int, rate: Double?) {
        client = DaemonClient([address], timeout: Self.patience)
        fields = accept.isEmpty ? "" : "Accept: \(accept)\r\n"
        (self.connections, self.rate) = (connections, rate)
    }

    /// Seconds for one answer: more than a fetch and a rendering may take together with their queues.
    private static let patience = 120
    /// How often a target is asked that the daemon puts off.
    private static let tries = 4
    /// Seconds that the daemon may ask to wait.
    private static let longestPause = 30
    /// The note on a substitute: its AVIF is made behind the answer, or it is not.
    fileprivate enum Substitute: String {
        case later = "avif-later"
        case notMade = "avif-not-made"
    }

    /// Seconds between two looks whether the AVIF is there: the first, which is longer than a small one takes, and the longest.
    private static let (firstLook, longestLook) = (0.1, 2.0)
    /// Seconds of such pauses for one picture. The AVIF is begun once decoders are idle, and those of a busy daemon may not be.
    private static let patienceWithAVIF = 60.0

    private struct Line {
        var next = 0
        var due = ContinuousClock.now
    }

    /// Asks for all, and calls `told` after each, in the order in which they end.
    package func run(_ targets: [String], told: (Result) -> Void) async {
        let (results, end) = AsyncStream<Result>.makeStream()
        let queue = TargetQueue()
        let threads = max(1, min(connections, targets.count))
        for _ in 0..<threads {
            // A thread each, because an answer is waited for.
            Thread.detachNewThread {
                while let (index, due) = queue.take(of: targets.count, spaced: rate) {
                    Self.wait(until: due)
                    end.yield(warm(targets[index]))
                }
                if queue.leave(of: threads) { end.finish() }
            }
        }
        for await result in results { told(result) }
    }

    /// The targets that are still to be asked for, each given to one thread at its time.
    ///
    /// **Isolation:** a `Mutex`.
    private final class TargetQueue: Sendable {
        private let line = Mutex(Line())
        private let left = Atomic<Int>(0)

        func take(of count: Int, spaced rate: Double?) -> (Int, ContinuousClock.Instant)? {
            line.withLock { line in
                guard line.next < count else { return nil }
                defer { line.next += 1 }
                guard let rate else { return (line.next, line.due) }
                line.due = max(line.due, .now)
                defer { line.due += .seconds(1 / rate) }
                return (line.next, line.due)
            }
        }

        /// True for the last to leave.
        func leave(of count: Int) -> Bool { left.add(1, ordering: .acquiringAndReleasing).newValue == count }
    }

    private static func wait(until due: ContinuousClock.Instant) {
        let pause = due - .now
        if pause > .zero { Thread.sleep(forTimeInterval: pause / .seconds(1)) }
    }

    /// Asks until the daemon has what it is to have: of the AVIFs that it makes behind its answers it may forget some.
    private func warm(_ target: String) -> Result {
        let first = ask(target)
        var (last, pause, rested) = (first, Self.firstLook, 0.0)
        while last.substitute == .later, rested < Self.patienceWithAVIF {
            Thread.sleep(forTimeInterval: pause)
            rested += pause
            pause = min(pause * 1.5, Self.longestLook)
            last = ask(target)
        }
        if let substitute = last.substitute {
            last.word = substitute.rawValue
        } else if last.isGood {
            last.word = first.word
        }
        return last
    }

    private func ask(_ target: String) -> Result {
        var result = Result(target: target, word: "")
        for attempt in 1...Self.tries {
            do throws(SystemError) {
                // The daemon makes and keeps the picture for a HEAD as for a GET, and nothing is sent over.
                let reply = try client.send("HEAD", target, fields: fields)
                result.status = reply.status
                guard reply.status != 0 else {
                    result.word = "\(reply.address) gives no HTTP answer"
                    return result
                }
                result.word = Self.outcome(reply)
                result.substitute = reply.field("pictor-note").flatMap(Substitute.init(rawValue:))
                if result.hasPicture { return result }
                let pause = reply.field("retry-after").flatMap { Int($0) } ?? Self.longestPause + 1
                guard [429, 503].contains(reply.status), pause <= Self.longestPause, attempt < Self.tries
                else {
                    result.word = try code(of: target) ?? "no_answer"
                    return result
                }
                Thread.sleep(forTimeInterval: Double(max(0, pause)))
            } catch {
                // An earlier try may have had an answer.
                result.status = 0
                // The error begins with the address.
                result.word = "nobody answers at \(error)"
                return result
            }
        }
        return result
    }

    private static func outcome(_ reply: DaemonClient.Reply) -> String {
        // Before it the shared store may have a member of its own, and behind it a proxy.
        let detail = reply.field("cache-status")?.firstMatch(of: /pictor;[^,]*detail="?([A-Za-z0-9-]+)/)
        return detail.map { String($0.1) } ?? "ok"
    }

    private struct Refusal: Decodable { let error: String }

    /// Failures are remembered, so asking again costs the origin nothing.
    private func code(of target: String) throws(SystemError) -> String? {
        let reply = try client.send("GET", target, fields: fields)
        return ControlJSON.read(Refusal.self, from: reply.body.utf8)?.error
    }
}
