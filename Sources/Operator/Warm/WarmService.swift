// SPDX-License-Identifier: Apache-2.0

internal import Endpoints
internal import Foundation
internal import JSON
internal import Kernel
internal import Synchronization

/// Requests pictures from a daemon so that they are in its cache, over several connections and at a limited rate.
package struct WarmService: Sendable {
    /// The result for one target.
    package struct Result: Sendable, Equatable {
        package let target: String
        /// The HTTP status; 0 if there was no answer.
        package var status = 0
        /// The outcome, as in `Cache-Status`; or the code of an error; or why there was no answer, with the address.
        package var word: String
        /// The note on a picture that stands in for an AVIF (`encoder.avif-later`); nil for others.
        fileprivate var substitute: Substitute?

        /// True if the answer is the final picture and not a substitute for it.
        package var isGood: Bool { hasPicture && substitute == nil }

        fileprivate var hasPicture: Bool { (200..<400).contains(status) }

        /// One JSON object on one line.
        package var json: String {
            JSONText.object([
                ("target", .text(target)), ("status", .number(status)),
                (isGood ? "outcome" : "error", .text(word)),
            ])
        }

        /// One line for people. A target contains only printable ASCII.
        package var line: String {
            status == 0 ? "\(target): \(word)" : "\(target): \(status) \(word)"
        }
    }

    /// The number of targets requested at the same time.
    private let connections: Int
    /// Requests begun per second; nil for no limit.
    private let rate: Double?
    private let client: DaemonClient
    /// Field lines for each request.
    private let fields: String

    /// - Parameters:
    ///   - address: the address of a public listener, as in `server.listen`.
    ///   - accept: the value of `Accept`, by which `output=auto` chooses; empty for none. It must not contain control characters.
    package init(_ address: String, accept: String, connections: Int, rate: Double?) {
        client = DaemonClient([address], timeout: Self.patience)
        fields = accept.isEmpty ? "" : "Accept: \(accept)\r\n"
        (self.connections, self.rate) = (connections, rate)
    }

    /// Seconds to wait for one answer: longer than a fetch and a rendering may take, including their queues.
    private static let patience = 120
    /// How often a target is tried that the daemon asks to try later.
    private static let tries = 4
    /// The longest pause in seconds that the daemon may ask for.
    private static let longestPause = 30
    /// The note on a substitute: its AVIF is made after the answer, or is not made.
    fileprivate enum Substitute: String {
        case later = "avif-later"
        case notMade = "avif-not-made"
    }

    /// Seconds between two checks whether the AVIF is ready: the first pause, which is enough for a small one, and the longest
    /// pause.
    private static let (firstLook, longestLook) = (0.1, 2.0)
    /// The most seconds of such pauses for one picture. A limit is needed because an AVIF is begun only when decoders are idle.
    private static let patienceWithAVIF = 60.0

    private struct Line {
        var next = 0
        var due = ContinuousClock.now
    }

    /// Requests all targets, and calls `told` after each, in the order in which they end.
    package func run(_ targets: [String], told: (Result) -> Void) async {
        let (results, end) = AsyncStream<Result>.makeStream()
        let queue = TargetQueue()
        let threads = max(1, min(connections, targets.count))
        for _ in 0..<threads {
            // Each connection has a thread, because it waits for answers.
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

    /// Gives each remaining target to one thread, with the time at which to request it.
    ///
    /// **Isolation:** a `Mutex` guards the next target.
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

        /// True for the last thread to leave.
        func leave(of count: Int) -> Bool { left.add(1, ordering: .acquiringAndReleasing).newValue == count }
    }

    private static func wait(until due: ContinuousClock.Instant) {
        let pause = due - .now
        if pause > .zero { Thread.sleep(forTimeInterval: pause / .seconds(1)) }
    }

    /// Repeats the request until the daemon has the final picture, because the daemon may drop an AVIF that it was to make after
    /// the answer.
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
                // For HEAD, the daemon makes and keeps the picture as for GET, but the body is not sent.
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
                // An earlier attempt may have set the status.
                result.status = 0
                // The error's description begins with the address.
                result.word = "nobody answers at \(error)"
                return result
            }
        }
        return result
    }

    private static func outcome(_ reply: DaemonClient.Reply) -> String {
        // `Cache-Status` may have a member of the shared store before Pictor's, and one of a proxy after it.
        let detail = reply.field("cache-status")?.firstMatch(of: /pictor;[^,]*detail="?([A-Za-z0-9-]+)/)
        return detail.map { String($0.1) } ?? "ok"
    }

    private struct Refusal: Decodable { let error: String }

    /// Gets the error's code from the body of a GET. The daemon remembers failures, so the second request costs the origin
    /// nothing.
    private func code(of target: String) throws(SystemError) -> String? {
        let reply = try client.send("GET", target, fields: fields)
        return ControlJSON.read(Refusal.self, from: reply.body.utf8)?.error
    }
}
