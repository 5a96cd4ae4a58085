// SPDX-License-Identifier: Apache-2.0

/// Why a command cannot do what it was asked for, as a sentence for people.
package struct CommandFailure: Error, CustomStringConvertible {
    package let description: String

    /// Takes the sentence, with advice where there is any.
    package init(_ description: String) { self.description = description }
}
