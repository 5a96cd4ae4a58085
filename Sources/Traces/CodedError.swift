// SPDX-License-Identifier: Apache-2.0

/// An error with a stable code, by which spans name it. Descriptions may hold what strangers wrote, and stay out of them.
package protocol CodedError: Error {
    /// The code, one of a bounded number; as it stands in answers.
    var code: String { get }
}
