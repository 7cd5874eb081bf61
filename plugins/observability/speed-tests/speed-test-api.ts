/** The upload speed test of a provider. */

import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'

/** The latest manual test: a single sample, which does not guarantee the speed of other uploads. */
export const uploadSpeedTest = type({
  /** `stale`: the service URL is missing or differs from the tested one. `failed`: the latest test failed; the figures are of the one before. */
  state: "'testing' | 'succeeded' | 'failed' | 'stale'",
  sample_bytes: 'number.integer',
  'duration_ms?': 'number.integer',
  'bytes_per_second?': 'number.integer',
  'tested_at?': 'string',
  'failure_code?': 'string',
})

export const startSpeedTest = defineEndpoint({
  method: 'POST',
  path: '/api/v1/observability/providers/:provider_id/upload-speed-test',
  role: 'operator',
  summary: 'Upload 32 MiB of random bytes to an available provider, which are not stored and cost nothing; one test runs at a time',
  audit: ['task_id'],
  params: type({ provider_id: /^\d{1,78}$/ }),
  answer: type({ task_id: 'number.integer', state: "'testing'" }),
  status: 202,
  refusals: ['provider_not_found', 'speed_test_running', 'speed_test_provider_ineligible', 'plugin_disabled'],
})

export type UploadSpeedTest = typeof uploadSpeedTest.infer
