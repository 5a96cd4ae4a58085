// SPDX-License-Identifier: Apache-2.0
// SQLite's door: what macros and destructor constants Swift cannot say.
#pragma once
#include <sqlite3.h>
