// SPDX-License-Identifier: Apache-2.0

extension Int {
    /// The product of factors that are not negative, clamped to `Int.max`. Each side of a picture is bounded,
    /// but the pixels of all its frames can exceed an Int.
    package init(saturatingProduct factors: Int...) {
        self = factors.reduce(1) { product, factor in
            let (next, isTooMuch) = product.multipliedReportingOverflow(by: factor)
            return isTooMuch ? .max : next
        }
    }
}
