import { expect, test } from 'vitest'
import { attentionCodes, codeOfUndecided } from './attention-policy.ts'

const txHash = '0xab'

test.each([
  ['without a known transaction', { txHash: null, isOnNode: undefined, isReported: false }, 'submission_unknown'],
  ['of a transaction that waits in the pool', { txHash, isOnNode: true, isReported: true }, 'transaction_pending_too_long'],
  ['of a transaction that only the provider knows', { txHash, isOnNode: false, isReported: true }, 'transaction_not_found'],
  ['of a transaction that neither knows', { txHash, isOnNode: false, isReported: false }, 'provider_status_missing'],
  ['while the chain node does not answer', { txHash, isOnNode: undefined, isReported: true }, 'chain_unreachable'],
] as const)('the code of a submission %s', (_what, traces, code) => {
  expect(codeOfUndecided(traces)).toBe(code)
})

test('codes of the Admin API are added, never changed', () => {
  expect(attentionCodes).toEqual([
    'submission_unknown',
    'transaction_not_found',
    'transaction_pending_too_long',
    'provider_status_missing',
    'chain_unreachable',
    'result_mismatch',
    'invalid_submission',
    'data_set_refused',
  ])
})
