// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
internal import Operator
import RequestGrammar
internal import Settings

struct URLMake: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Print a signed URL.",
        discussion: """
            pictor url make --key-file keys --base https://img.example.com --expires 1h https://host/a.jpg w=200 fit=cover

            Options are those of the dialect, not escaped. What its dialect would refuse is refused here.
            """)

    @OptionGroup var arguments: URLArguments

    @Option(help: "The dialect of the URL.") var dialect = DialectName.native

    @Option(help: "How long the URL is valid: 10m, 1h, 30d; default: for ever.") var expires: String?

    @Option(help: "Until when the URL is valid, as unix time.") var until: Int64?

    @Option(help: "A name after /img, as photo.jpg, for caches that go by a path's extension.")
    var name: String?

    @Argument(help: "The source URL.") var source: String

    @Argument(help: ArgumentHelp("Options of the picture.", valueName: "name=value")) var options: [String] =
        []

    func validate() throws {
        if expires != nil, until != nil { throw ValidationError("--expires and --until are both given.") }
        if let expires, lifetime == nil {
            throw ValidationError("--expires must be \(Duration.settingForm), not \"\(expires)\".")
        }
    }

    func run() throws {
        let service = try arguments.service()
        print(try service.make(source, options, at: dialect, expiry: expiry, file: name))
    }

    private var lifetime: Duration? { expires.flatMap(Duration.init(settingText:)) }

    /// Rounds the present second up, so that no URL expires before its time.
    private var expiry: Int64? {
        lifetime.map { Int64(Date.now.timeIntervalSince1970) + 1 + Int64($0.wholeSeconds) } ?? until
    }
}
