import { expect, test } from 'vitest'
import type { CopyRecord } from '#plugins/replication'
import { judgeCopies, judgeCopy } from './copy-health-policy.ts'

const copy = (status: CopyRecord['status'], lastError: string | null = null): CopyRecord => ({
  copyIndex: 0,
  status,
  providerId: '1',
  dataSetId: '2',
  pieceId: null,
  transferMethod: 'ingress',
  retrievalUrl: null,
  isNewDataSet: false,
  lastError,
  waitReason: null,
})

test.each([
  ['pending', 'degraded', ['copy_pending']],
  ['piece_ready', 'degraded', ['copy_pending']],
  ['committing', 'degraded', ['copy_committing']],
  ['committed', 'available', []],
  ['failed', 'unavailable', ['copy_failed']],
] as const)('a copy that is %s is %s', (status, health, reasons) => {
  expect(judgeCopy(copy(status))).toEqual({ status: health, reason_codes: reasons, stale: false })
})

test('the error of a copy is shown until it is committed', () => {
  expect(judgeCopy(copy('failed', 'refused'))).toMatchObject({ last_error: 'refused' })
  expect(judgeCopy(copy('committed', 'refused once'))).not.toHaveProperty('last_error')
})

test.each([
  ['enough copies', ['committed', 'committed'], 2, false, 'available', []],
  ['more to come', ['committed', 'committing'], 2, true, 'degraded', ['copy_under_replicated', 'copy_committing']],
  ['none yet, but cached', [], 2, true, 'degraded', ['copy_under_replicated']],
  ['none and nothing under way', ['failed'], 2, false, 'unavailable', ['copy_under_replicated', 'copy_failed']],
  ['an object that needs no copies', [], 0, true, 'available', []],
] as const)('a version with %s', (...[, statuses, requestedCopies, isCached, health, reasons]) => {
  const judged = judgeCopies({ copies: statuses.map((status) => copy(status)), requestedCopies, isCached })
  expect(judged).toMatchObject({ status: health, reason_codes: reasons, requested_copies: requestedCopies })
  expect(judged.readable_copies + judged.pending_copies + judged.failed_copies).toBe(statuses.length)
})
