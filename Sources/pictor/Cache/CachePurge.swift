// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Endpoints
internal import Operator

struct CachePurge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge", abstract: "Remove originals, with everything that was made of them.",
        discussion: "Exactly one of --url, --prefix, --host, --tag and --all must say which.")

    @Option(help: "The original with this source URL.") var url: String?
    @Option(help: "Originals whose URL begins so: scheme, host and the beginning of a path.") var prefix:
        String?
    @Option(help: "Originals of this host, bucket or folder, whatever the scheme and port.") var host: String?
    @Option(help: "Originals that their origin gave this tag (Cache-Tag, Surrogate-Key).") var tag: String?
    @Flag(help: "Everything.") var all = false
    @Flag(
        help:
            "Delete nothing: mark the originals as stale, so that their origins are asked before they are served again."
    )
    var soft = false
    @Flag(help: "Change nothing: count what would be removed.") var dryRun = false
    @OptionGroup var arguments: CacheArguments

    func validate() throws {
        guard [url, prefix, host, tag].count(where: { $0 != nil }) + (all ? 1 : 0) == 1 else {
            throw ValidationError("Exactly one of --url, --prefix, --host, --tag and --all is wanted.")
        }
    }

    func run() async throws {
        let body = PurgeBody(
            url: url, prefix: prefix, host: host, tag: tag, all: all ? true : nil, soft: soft ? true : nil,
            dryRun: dryRun ? true : nil)
        try arguments.withService { service in
            let report = try service.purge(body)
            arguments.show(report) {
                let verb =
                    switch (report.soft, dryRun) {
                    case (false, false): "purged"
                    case (true, false): "made stale"
                    case (false, true): "would be purged"
                    case (true, true): "would be made stale"
                    }
                return [
                    "\(verb): \(report.originals) originals, \(report.renditions) renditions, \(report.answers) answers in memory, \(report.failures) remembered failures, \(report.fetches) fetches under way"
                ]
            }
        }
    }
}
