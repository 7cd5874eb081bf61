/** What-if answers that a test of the pages states. */
import { defineRoutes, serveEndpoint } from '#kernel'
import { replacementErrors } from '../errors.ts'
import { showWhatIf, type WhatIf } from '../what-if/what-if-api.ts'

const count = (contents: number) => ({ contents, versions: contents, bytes: String(contents * 1_000_000) })
const counts = {
  stored: count(9),
  below_target: count(9),
  below_minimum: count(4),
  no_other_copy: count(2),
  lost: count(1),
}

/** Provider 7, without which a content would be lost. */
const answer: WhatIf = {
  provider_id: '7',
  provider_name: 'Old One',
  counted_at: '2026-01-31T12:00:00Z',
  ...counts,
  heal: {
    data_sets: 1,
    pieces: 8,
    bytes: '8000000',
    seconds: 125,
    bytes_per_second: 64_000,
    measured_providers: 3,
    cost: {
      price_fingerprint: 'a'.repeat(16),
      fee: '42000000000000000',
      fee_max: '50000000000000000',
      lock: '620000000000000000',
      rate: { per_epoch: '1', per_day: '2', per_month: '120000000000000000' },
      deposit_needed: '0',
    },
  },
  buckets: [{ bucket_id: 1, bucket: 'photos', data_set_id: 1, copy_index: 0, ...counts }],
  other_buckets: 2,
}

export const whatIfSurface = defineRoutes({
  name: 'stated-what-if',
  uses: {},
  endpoints: [showWhatIf],
  register(app) {
    serveEndpoint(app, showWhatIf, async ({ query }) => {
      if (query.provider_id !== answer.provider_id) throw replacementErrors.what_if_provider_unknown()
      return answer
    })
  },
})
