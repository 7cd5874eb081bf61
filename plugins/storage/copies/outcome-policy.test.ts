import { expect, test } from 'vitest'
import { type Evidence, judgeOutcome, type OutcomeVerdict } from './outcome-policy.ts'

const limits = { handlingMs: 10_000, attentionMs: 60_000 }
const fresh: Evidence = {
  hasLanded: false,
  ageMs: 1000,
  totalAgeMs: 1000,
  isReportedFailed: false,
  sender: { pooled: 7, final: 7 },
  observedNonce: null,
}

const table: readonly (readonly [string, Partial<Evidence>, OutcomeVerdict])[] = [
  ['a recorded nonce is proof, whatever else is said', { hasLanded: true, isReportedFailed: true, ageMs: 99_000 }, { kind: 'landed' }],
  ['an idle sender proves nothing while the provider may still be working', {}, { kind: 'undecided', needsAttention: false }],
  ['after the working time the pool is counted', { ageMs: 10_000, sender: { pooled: 9, final: 7 } }, { kind: 'observe', senderNonce: 9 }],
  ['a reported failure is believed only as a reason to count at once', { isReportedFailed: true }, { kind: 'observe', senderNonce: 7 }],
  [
    'counted transactions still in the pool keep it open',
    { ageMs: 20_000, observedNonce: 9, sender: { pooled: 12, final: 8 } },
    { kind: 'undecided', needsAttention: false },
  ],
  [
    'all counted transactions final without our nonce: it did not land',
    { ageMs: 20_000, observedNonce: 9, sender: { pooled: 12, final: 9 } },
    { kind: 'not_landed' },
  ],
  ['a silent chain decides nothing', { ageMs: 20_000, sender: undefined, observedNonce: 9 }, { kind: 'undecided', needsAttention: false }],
  [
    'an old open outcome asks for an operator',
    { ageMs: 1000, totalAgeMs: 60_000, sender: undefined },
    { kind: 'undecided', needsAttention: true },
  ],
]

test.each(table)('I-05: %s', (_name, evidence, verdict) => {
  expect(judgeOutcome({ ...fresh, ...evidence }, limits)).toEqual(verdict)
})
