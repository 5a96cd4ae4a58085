// SPDX-License-Identifier: Apache-2.0

package import Answers

extension ReportWords {
    /// As imgproxy Pro tells `/info`.
    package static var imgproxy: ReportWords {
        var words = ReportWords.native
        words.form = .short
        return words
    }
}
