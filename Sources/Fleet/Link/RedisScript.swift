// SPDX-License-Identifier: Apache-2.0

/// A script in Lua that Redis runs atomically, on one key.
struct RedisScript {
    private let text: String

    /// Takes the script's text, in which `KEYS[1]` is the key.
    init(_ text: String) { self.text = text }

    /// A script in which `now` is the time in microseconds by Redis's own clock, so that the nodes' clocks do not matter.
    init(byTime text: String) {
        self.text = """
            local t = redis.call('TIME')
            local now = t[1] * 1000000 + t[2]
            \(text)
            """
    }

    /// A script on a sorted set in which a member's score is the time at which the member expires. `ARGV[1]` is a new member's
    /// lifetime in milliseconds. The script first drops the expired members, and the members that expire later than ten lifetimes
    /// from now: their scores are from before Redis's clock was set back, and would stay for too long. The factor of ten allows
    /// for nodes with a longer lifetime while the setting is being changed.
    init(onMembers text: String) {
        self.init(
            byTime: """
                redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
                redis.call('ZREMRANGEBYSCORE', KEYS[1], string.format('(%.0f', now + ARGV[1] * 10000), '+inf')
                \(text)
                """)
    }

    /// The command that runs the script.
    func command(_ key: String, _ arguments: [String]) -> RedisCommand {
        RedisCommand(["EVAL", text, "1", key] + arguments)
    }
}
