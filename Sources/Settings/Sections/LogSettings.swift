// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let log: [Setting] = [
        Setting("log.level", \.log.level, "The least level that is written."),
        Setting("log.format", \.log.format, "Lines for people, or one JSON object a line."),
        Setting("log.access", \.log.access, "One line a request on standard output."),
        Setting(
            "log.queue", \.log.queue,
            "Lines that wait while nobody reads standard error, and as much for standard output; more are dropped and counted. 4 MiB are about 20,000 lines: the bursts of some seconds.",
            where: { $0 >= ByteCount(64 << 10) && $0 <= ByteCount(1 << 30) }),
    ]
}
