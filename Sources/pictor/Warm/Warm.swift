// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Glibc
internal import Operator
import Settings
internal import Signatures

struct Warm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask a running daemon for pictures, so that it has them when clients come.",
        discussion: """
            FILE is a list with a URL on each line, a sitemap with image:loc, or an HTML page, whose img, source and preload \
            links are taken with their srcset; - is standard input. Each may be compressed by gzip.

            With --query, the URLs are sources, and each query is asked for of each; keys of the settings sign them. Without, \
            they are URLs of Pictor, as a page shows them; only their path and query count.

            Examples:
              pictor warm sources.txt --query 'w=300' --query 'w=600&output=webp'
              curl -s https://shop.example/ | pictor warm - --base https://shop.example/
              pictor warm sitemap.xml.gz --query w=300 --rate 20 --state warmed.txt

            What the daemon puts off for up to 30 s (429, 503) is asked again. The exit status is 0 if all are there, 1 if some \
            are not, 64 for a wrong command line, and 78 for mistakes in the settings.
            """)

    @Option(help: "Options of a picture, joined by &, and escaped as in a URL; may be given several times.")
    var query: [String] = []

    @Option(help: "The page's own URL, which completes its relative URLs.") var base: String?

    @Option(
        help: "The daemon's public listener, as host:port or unix:/path; default: the first of server.listen."
    )
    var to: String?

    @Option(help: "The Accept field of the requests, by which output=auto chooses.") var accept =
        "image/avif,image/webp,*/*"

    @Option(help: "Pictures asked for at a time, 1 to 64.") var connections = 4

    @Option(help: "Pictures begun in a second, 0.01 to 10000; default: no limit.") var rate: Double?

    @Option(help: "A file that records what is done; a later run with the same file skips that.") var state:
        String?

    @Flag(help: "Print a JSON object for each picture, for programs.") var json = false

    @Option(help: .settingsFile(for: "the daemon's address and keys")) var config: String?

    @Argument(help: "A list, a sitemap or a page; - for standard input.") var file: String

    func validate() throws {
        guard (1...64).contains(connections) else { throw ValidationError("--connections is 1 to 64.") }
        if let rate, !(0.01...10_000).contains(rate) { throw ValidationError("--rate is 0.01 to 10000.") }
        try validateAccept(accept)
        if let to, !DaemonClient.isAddress(to) {
            throw ValidationError("--to is host:port or unix:/path, not \"\(to)\".")
        }
        if let base, URL(string: base)?.host() == nil {
            throw ValidationError("--base is no URL with a host.")
        }
    }

    func run() async throws {
        SettingsArguments.adoptSecrets(config)
        let settings = try SettingsArguments.load(config, flags: []) { settings throws(UnusableSetting) in
            _ = try settings.signatureRule
            return settings
        }
        guard let address = to ?? settings.server.listen.first else {
            throw wrongArgument("server.listen is empty; name the daemon with --to.")
        }
        let (list, plan) = try plan(settings)
        let record = try record(of: plan.targets)
        let targets = plan.targets.filter { !(record?.done.contains($0) ?? false) }
        let doneBefore = plan.targets.count - targets.count
        var progress = WarmProgress(of: targets.count, asJSON: json, hasQuery: !query.isEmpty)
        for (url, reason) in plan.refused { progress.refuse(url, reason) }
        let service = WarmService(address, accept: accept, connections: connections, rate: rate)
        var failure: (any Error)?
        await service.run(targets) { result in
            progress.tell(result)
            guard result.isGood else { return }
            do { try record?.append(result.target) } catch { failure = error }
        }
        progress.finish(doneBefore: doneBefore, relative: list.relative)
        if let failure { throw CommandFailure("--state: \(failure)") }
        if progress.failed > 0 { throw ExitCode.failure }
    }

    private func plan(_ settings: Settings) throws -> (WarmList, WarmPlan) {
        let bytes: [UInt8]
        do {
            bytes =
                try file == StandardStreams.name
                ? StandardStreams.bytes(atMost: WarmList.longest) : Array(listInFile())
        } catch let mistake as WarmList.Mistake {
            throw CommandFailure("\(file): \(mistake)")
        } catch let failure as CommandFailure {
            throw CommandFailure("\(file): \(failure)")
        } catch {
            throw CommandFailure("\(file): \(error.fileReason)")
        }
        do {
            let list = try WarmList(bytes, base: base)
            return (list, try WarmPlan(list.urls, queries: query, settings))
        } catch let mistake as WarmList.Mistake {
            throw CommandFailure("\(file): \(mistake)")
        } catch let failure as URLService.Failure {
            throw wrongArgument("--query: \(failure)")
        }
    }

    /// The list in the file. A longer one than may be is not read, because it could take all memory.
    private func listInFile() throws -> Data {
        var status = stat()
        if stat(file, &status) == 0, status.st_size > WarmList.longest {
            throw WarmList.Mistake.tooLong(limit: WarmList.longest)
        }
        return try Data(contentsOf: URL(filePath: file))
    }

    private func record(of targets: [String]) throws -> WarmRecord? {
        do {
            return try state.map { try WarmRecord($0, of: targets) }
        } catch {
            throw CommandFailure("--state: \(error)")
        }
    }
}
