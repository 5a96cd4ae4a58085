// SPDX-License-Identifier: Apache-2.0

package import Answers

extension ReportWords {
    /// The words of imgproxy Pro's `/info`.
    package static var imgproxy: ReportWords {
        var words = ReportWords.native
        words.form = .short
        return words
    }
}
