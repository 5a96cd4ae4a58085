// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let log: [Setting] = [
        Setting("log.level", \.log.level, "The least level that is written."),
        Setting("log.format", \.log.format, "Lines for people, or one JSON object a line."),
        Setting("log.access", \.log.access, "One line a request on standard output."),
    ]
}
