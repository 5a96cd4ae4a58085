// SPDX-License-Identifier: Apache-2.0

/// An error with a stable code. Spans have the code and not the description, because a description may contain text from outside.
package protocol CodedError: Error {
    /// The code, as in answers; one of a fixed list.
    var code: String { get }
}
