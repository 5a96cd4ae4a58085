// SPDX-License-Identifier: Apache-2.0

/// A script in Lua that Redis carries out as one step, on one key.
struct RedisScript {
    private let text: String

    /// Takes the text, which finds the key as `KEYS[1]`.
    init(_ text: String) { self.text = text }

    /// A script that knows `now`, in microseconds of Redis's own clock, so that the nodes' clocks do not matter.
    init(byTime text: String) {
        self.text = """
            local t = redis.call('TIME')
            local now = t[1] * 1000000 + t[2]
            \(text)
            """
    }

    /// A script on a sorted set whose members count up to the time that is their score. Each has `ARGV[1]` milliseconds when it
    /// comes. Members whose time is over are dropped first, and so are those of ten times that ahead: such a score is of a clock
    /// that was set back since, and would stay for as long. Some nodes may have a longer time, while the setting is changed.
    init(onMembers text: String) {
        self.init(
            byTime: """
                redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
                redis.call('ZREMRANGEBYSCORE', KEYS[1], string.format('(%.0f', now + ARGV[1] * 10000), '+inf')
                \(text)
                """)
    }

    /// The command that has it carried out.
    func command(_ key: String, _ arguments: [String]) -> RedisCommand {
        RedisCommand(["EVAL", text, "1", key] + arguments)
    }
}
