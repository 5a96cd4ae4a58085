// SPDX-License-Identifier: Apache-2.0

package import Logging

extension Settings {
    /// The log and the access log.
    package struct Log: Sendable, Equatable {
        /// The lowest level that is written.
        package var level = Logger.Level.info
        /// Text for people, JSON, or logfmt.
        package var format = LogFormat.text
        /// True to write a line for each request to standard output.
        package var access = true
        /// Of answers below 400, one in so many gets a line.
        package var accessSample = 1
        /// The most lines of the access log per second; 0 for no limit.
        package var accessRate = 0
        /// Query parameters whose values are hidden.
        package var redact = [
            "access_token", "api_key", "apikey", "auth", "awsaccesskeyid", "key", "password", "secret", "sig",
            "signature", "token", "x-amz-credential", "x-amz-security-token", "x-amz-signature",
            "x-goog-credential", "x-goog-signature",
        ]
        /// The most bytes that wait for each of the two outputs.
        package var queue = ByteCount(4 << 20)
    }
}

extension Setting {
    static let log: [Setting] = [
        Setting("log.level", \.log.level, .live, "The least severe level that is written."),
        Setting(
            "log.format", \.log.format, .live,
            "The form of the log: text for people, json for one object a line, or logfmt. The access log is logfmt, or JSON where this says so."
        ),
        Setting(
            "log.access", \.log.access, .live, "Write the access log: one line a request on standard output."),
        .number(
            "log.access-sample", \.log.accessSample, .live, 1...1_000_000,
            "Of the answers below 400, one in so many gets a line in the access log, which says so (sample=). Every refusal and every failure gets its line."
        ),
        .number(
            "log.access-rate", \.log.accessRate, .live, 0...1_000_000,
            "Lines of the access log in one second; more are left out, and the next line says how many (left_out=). 0 = any number."
        ),
        Setting(
            "log.redact", \.log.redact, .live,
            "Query parameters whose values both logs, spans and the admin listener show as REDACTED. Their names count in any case, in the request's own URL and in the original's within it, however often it is percent-encoded, and before or in brackets: token also stands for token[] and user[token]. signature also stands for the one that a path begins with. User and password of a URL are REDACTED even if this is empty.",
            form: "a list of names in printable ASCII, separated by commas", isGuard: true,
            where: { $0.allSatisfy(isParameterName) }),
        .size(
            "log.queue", \.log.queue, .atRestart(.queues), from: 64 << 10, to: 1 << 30,
            "Bytes of the lines that wait while nobody reads standard error, and as much for standard output; more are dropped and counted. 4 MiB are about 20,000 lines: the bursts of some seconds."
        ),
    ]

    /// False for a text that begins with a quotation mark or a bracket. Such a text comes from a variable in YAML syntax, or with
    /// its quotation marks from a file (docker run --env-file), and would hide no parameter.
    private static func isParameterName(_ text: String) -> Bool {
        guard let first = text.first, !"[\"'".contains(first) else { return false }
        return text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }
}
