import { expect, test } from 'vitest'
import { type Evidence, judgeOutcome, type OutcomeVerdict } from './outcome-policy.ts'

const limits = { handlingMs: 10_000, attentionMs: 60_000 }
const fresh: Evidence = {
  ageMs: 1000,
  isReportedFailed: false,
  sender: { pooled: 7, final: 7 },
  observedNonce: null,
}

const table: readonly (readonly [string, Partial<Evidence>, OutcomeVerdict])[] = [
  ['an idle sender proves nothing while the provider may still be working', {}, { kind: 'undecided', needsAttention: false }],
  [
    'after the handling time the pending nonce of the sender is recorded',
    { ageMs: 10_000, sender: { pooled: 9, final: 7 } },
    { kind: 'observe', senderNonce: 9 },
  ],
  [
    'after a reported failure the pending nonce of the sender is recorded at once',
    { isReportedFailed: true },
    { kind: 'observe', senderNonce: 7 },
  ],
  [
    'counted transactions that are not final keep the outcome open',
    { ageMs: 20_000, observedNonce: 9, sender: { pooled: 12, final: 8 } },
    { kind: 'undecided', needsAttention: false },
  ],
  [
    'all counted transactions final without our nonce: it did not land',
    { ageMs: 20_000, observedNonce: 9, sender: { pooled: 12, final: 9 } },
    { kind: 'not_landed' },
  ],
  [
    'without an answer of the chain the outcome stays open',
    { ageMs: 20_000, sender: undefined, observedNonce: 9 },
    { kind: 'undecided', needsAttention: false },
  ],
  [
    'an open outcome needs an operator after the attention time',
    { ageMs: 60_000, sender: undefined },
    { kind: 'undecided', needsAttention: true },
  ],
]

test.each(table)('I-05: %s', (_name, evidence, verdict) => {
  expect(judgeOutcome({ ...fresh, ...evidence }, limits)).toEqual(verdict)
})
