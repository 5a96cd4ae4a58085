// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Endpoints
import Foundation
internal import Operator
import Stores

struct CacheList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the originals that are held, in the order of their URLs.")

    @Option(help: "Only originals of this host, bucket or folder.") var host: String?
    @Option(help: "Only originals whose URL comes after this one.") var after = ""
    @Option(help: "How many originals are listed at most; 0 = all.") var limit = 100
    @OptionGroup var arguments: CacheArguments

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must not be negative.") }
    }

    func run() async throws {
        try arguments.withService { service in
            var (next, left) = (after as String?, limit == 0 ? Int.max : limit)
            while let after = next, left > 0 {
                let report = try service.list(
                    ListQuery(host: host, after: after, count: min(left, ListQuery.limit)))
                for original in report.originals { arguments.show(original) { [Self.line(original)] } }
                left -= report.originals.count
                next = report.next
            }
        }
    }

    /// The original's row: URL, format, size, bytes and freshness.
    private static func line(_ original: ListedOriginal) -> String {
        let left = original.secondsLeft(at: Int64(Date.now.timeIntervalSince1970))
        let freshness = left > 0 ? "fresh for \(left) s" : "stale since \(-left) s"
        return
            "\(original.url)  \(original.format) \(original.width)×\(original.height)  \(Quantity.bytes(original.length))  \(freshness)"
    }
}
