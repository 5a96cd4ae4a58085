// SPDX-License-Identifier: Apache-2.0

extension Int {
    /// Of numbers that are not negative; `Int.max` where it is more. Each side of a picture is bounded, and yet the pixels
    /// of all its frames may be more than a number holds.
    package init(saturatingProduct factors: Int...) {
        self = factors.reduce(1) { product, factor in
            let (next, isTooMuch) = product.multipliedReportingOverflow(by: factor)
            return isTooMuch ? .max : next
        }
    }
}
