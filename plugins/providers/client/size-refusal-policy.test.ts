import { expect, test } from 'vitest'
import type { NotSentCause } from './provider-error.ts'
import { findSizeRefusal } from './size-refusal-policy.ts'

const invalid = (detail: string, status = 400): NotSentCause => ({ reason: 'invalid', status, detail })
const reverted = (detail: string): NotSentCause => ({
  reason: 'reverted',
  revert: { contract: 'unknown', errorName: 'Error', selector: undefined, args: [] },
  detail,
})

test.each([
  ['a limit of additions', invalid('piece count (404) exceeds the maximum allowed per AddPieces call (40)'), 40],
  ['a limit of removals', invalid('piece count (36) exceeds the maximum allowed per DeletePiece call (35)\n'), 35],
  [
    'the size of a message',
    invalid('addPieces packed size 65316 bytes exceeds the Filecoin 65536-byte message limit (405 pieces)'),
    undefined,
  ],
  ['a large body', invalid('Request body too large'), undefined],
  ['status 413', invalid('no', 413), undefined],
  ['the gas of a block', reverted('revert reason=[Error(out of gas)]'), undefined],
])('a refusal for its size: %s', (_name, cause, named) => {
  expect(findSizeRefusal(cause)).toEqual({ named })
})

test.each([
  ['lost bytes', invalid('subPiece CID baga6ea not found or does not belong to service public')],
  ['a revert', reverted('InvalidSignature')],
  ['a busy provider', { reason: 'throttled', retryAfterMs: 1, detail: 'too many requests' } as NotSentCause],
  ['an unreachable provider', { reason: 'unreachable', step: 'dns', detail: 'exceeds the maximum' } as NotSentCause],
])('no refusal for its size: %s', (_name, cause) => {
  expect(findSizeRefusal(cause)).toBeUndefined()
})
