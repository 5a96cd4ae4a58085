// SPDX-License-Identifier: Apache-2.0

/// Remembers that a node has refused `ASKING`, as where the ACL does not allow it. Such a node answers the command behind it with
/// `MOVED`, from which nobody could tell what is wrong.
struct AskingRefusal {
    private var words: String?

    /// The reply that the command's caller gets.
    mutating func explain(_ reply: RedisReply, to pending: PendingCommand) -> RedisReply {
        if pending.command == PendingCommands.askingCommand {
            words = if case .error(let refusal) = reply { refusal } else { nil }
            return reply
        }
        guard pending.isAsked, let refusal = words.take(), case .error(let own) = reply,
            own.hasPrefix("MOVED ")
        else { return reply }
        return .error(refusal)
    }
}
