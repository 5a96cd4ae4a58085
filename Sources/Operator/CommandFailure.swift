// SPDX-License-Identifier: Apache-2.0

/// Why a command failed, as a sentence for people.
package struct CommandFailure: Error, CustomStringConvertible {
    package let description: String

    /// Takes the sentence, with advice if there is any.
    package init(_ description: String) { self.description = description }
}
