import { expect, test } from 'vitest'
import type { NotSentCause } from '#plugins/providers'
import type { ProviderRevert } from '../../providers/testing/index.ts'
import { judgeRefusal, type Setback } from './setback-policy.ts'

const waits = { providerMs: 30_000, fundingMs: 60_000 }
const detail = 'message of the provider'
const reverted = (errorName: string | undefined): NotSentCause => ({
  reason: 'reverted',
  revert: { contract: 'fwss', errorName, selector: '0x12345678', args: [] } satisfies ProviderRevert,
  detail,
})

const table: readonly (readonly [string, NotSentCause, Partial<Setback>])[] = [
  ['a failed connection waits', { reason: 'unreachable', step: 'connect', detail }, { kind: 'wait', reason: 'provider', forMs: 30_000 }],
  ['a failed DNS lookup waits', { reason: 'unreachable', step: 'dns', detail }, { kind: 'wait', reason: 'provider', forMs: 30_000 }],
  [
    'an address that is not allowed waits for the operator',
    { reason: 'egress_refused', refusal: 'private_address', detail } as unknown as NotSentCause,
    { kind: 'wait', reason: 'provider', message: expect.stringContaining('chain.allow_private_networks') },
  ],
  [
    'a busy provider waits for its Retry-After',
    { reason: 'throttled', retryAfterMs: 7000, detail },
    { kind: 'wait', reason: 'provider_busy', forMs: 7000 },
  ],
  ['404 on the data set needs a chain lookup', { reason: 'data_set_gone', status: 404, detail }, { kind: 'data_set_gone' }],
  ['409 on the data set needs a chain lookup', { reason: 'data_set_gone', status: 409, detail }, { kind: 'data_set_gone' }],
  ...['InsufficientLockupFunds', 'OperatorNotApproved', 'InsufficientUnlockedFunds', 'OperatorRateAllowanceExceeded'].map(
    (name) => [`${name} waits for funds`, reverted(name), { kind: 'wait', reason: 'funding', forMs: 60_000 }] as const,
  ),
  ...['DataSetPaymentAlreadyTerminated', 'DataSetNotLive', 'InvalidDataSetId'].map(
    (name) => [`${name} needs a chain lookup`, reverted(name), { kind: 'data_set_gone', message: name }] as const,
  ),
  [
    'another revert uses an attempt',
    reverted('InvalidSignature'),
    { kind: 'fault', code: 'chain_reverted', message: expect.stringContaining('InvalidSignature') },
  ],
  [
    'a revert without a name uses an attempt; the message has its selector',
    reverted(undefined),
    { kind: 'fault', message: expect.stringContaining('0x12345678') },
  ],
  [
    'a refused request uses an attempt',
    { reason: 'invalid', status: 400, detail },
    { kind: 'fault', code: 'provider_invalid', message: detail },
  ],
  [
    'an unauthorized payer uses an attempt',
    { reason: 'unauthorized', status: 403, detail },
    { kind: 'fault', code: 'provider_unauthorized' },
  ],
  ['not found uses an attempt', { reason: 'not_found', detail }, { kind: 'fault', code: 'provider_not_found' }],
  ['an exceeded limit uses an attempt', { reason: 'over_limit', detail }, { kind: 'fault', code: 'provider_over_limit' }],
]

test.each(table)('%s', (_name, cause, setback) => {
  expect(judgeRefusal(cause, waits)).toMatchObject(setback)
})
