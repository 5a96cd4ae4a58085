// SPDX-License-Identifier: Apache-2.0
// libcurl's door: typed, non-variadic forms of curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt.
#pragma once
#include <curl/curl.h>
