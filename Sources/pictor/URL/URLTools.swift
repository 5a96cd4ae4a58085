// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Operator
import RequestGrammar
import Settings

struct URLTools: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url",
        abstract: "Make signed URLs, check them, and explain what a URL says. Asks no daemon.",
        subcommands: [URLMake.self, URLCheck.self, URLExplain.self])
}

/// Arguments of every command on URLs.
struct URLArguments: ParsableArguments {
    @Option(help: .settingsFile(for: "the keys, presets and endpoints")) var config: String?

    @Option(help: "A file with keys, one a line, in place of those of the settings; the first signs.")
    var keyFile: String?

    @Option(help: "What clients write before the path: https://img.example.com.") var base = ""

    func validate() throws {
        guard !base.contains(where: { $0 == "?" || $0 == "#" || $0.isWhitespace }) else {
            throw ValidationError("--base must be what stands before the path, not \"\(base)\".")
        }
    }

    func service() throws -> URLService {
        SettingsArguments.adoptSecrets(config)
        return try SettingsArguments.load(config, flags: []) { settings throws(UnusableSetting) in
            var settings = settings
            if let keyFile { (settings.signatures.keys, settings.signatures.keysFile) = (.none, keyFile) }
            return try URLService(settings, base: base)
        }
    }
}

/// The moment that the command takes for the present.
struct MomentArguments: ParsableArguments {
    @Option(help: "Check as of this unix time; default: now.") var at: Int64?

    func validate() throws {
        if let at, !Self.times.contains(at) {
            throw ValidationError("--at must be a unix time in seconds, from 0 to \(Self.times.upperBound).")
        }
    }

    var now: Int64 { at ?? Int64(Date.now.timeIntervalSince1970) }

    /// Times of at most twelve digits, which is the limit of an expiry in a URL.
    private static let times: ClosedRange<Int64> = 0...999_999_999_999
}

extension DialectName: ExpressibleByArgument {}
