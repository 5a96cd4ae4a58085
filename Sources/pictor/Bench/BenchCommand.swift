// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Endpoints
import Operator

struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure how fast a URL is answered: the first time, and then many times.",
        discussion: """
            The first answer goes over a connection of its own. Without --rate each connection asks again as soon as it has \
            its answer: that measures what the server can do, and hides what clients wait for when it stalls (coordinated \
            omission). With --rate requests begin at fixed times, and a latency counts from the time that was intended.

            The exit status is 1 if any answer was not 2xx or 304, or did not come.

            Examples:
              pictor bench 'http://127.0.0.1:8080/img?url=https%3A%2F%2Fexample.com%2Fa.jpg&w=300'
              pictor bench --connections 32 --duration 10 'http://127.0.0.1:8080/img?…'
              pictor bench --rate 500 --duration 30 --json 'http://127.0.0.1:8080/img?…'
            """)

    @Argument(help: "The whole URL, with http://.") var url: String
    @Option(help: "The most requests after the first; 1000 where --duration is not given either.")
    var count: Int?
    @Option(help: "Connections that are kept open, 1 to 1000.") var connections = 8
    @Option(help: "Seconds in which requests begin, 0.1 to 3600.") var duration: Double?
    @Option(help: "Requests a second, begun at fixed times; default: as fast as answers come.")
    var rate: Double?
    @Option(help: "The Accept field of the requests.") var accept = "*/*"
    @Flag(help: "Print JSON, for programs; times are microseconds.") var json = false

    func validate() throws {
        do {
            _ = try BenchPlan(count: count, connections: connections, duration: duration, rate: rate)
            _ = try BenchService(try BenchTarget(url), accept: accept)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func run() async throws {
        let plan = try BenchPlan(count: count, connections: connections, duration: duration, rate: rate)
        let report = try BenchService(try BenchTarget(url), accept: accept).run(plan)
        print(json ? ControlJSON.text(report) : report.lines.joined(separator: "\n"))
        guard report.isGood else { throw ExitCode.failure }
    }
}
