import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ProviderChoice } from '../contract/providers.ts'
import { judgeCandidates } from './candidate-policy.ts'

const plain: ProviderChoice = { providerId: '1', isEndorsed: false, latencyMs: 10, load: 0, pieceBytesMax: 300 }
const chosen = (candidates: readonly Partial<ProviderChoice>[], count = 9, used: readonly string[] = []) =>
  judgeCandidates(
    candidates.map((candidate) => ({ ...plain, ...candidate })),
    { used: new Set(used), serving: new Set(), pieceBytes: 200 },
  )
    .flatMap(({ provider, eligible, previouslyUsed }) => (eligible && !previouslyUsed ? [provider.providerId] : []))
    .slice(0, count)

test.each([
  [
    'larger maximum first, too small a maximum never',
    [
      { providerId: '1', isEndorsed: true, pieceBytesMax: 200 },
      { providerId: '2', pieceBytesMax: 300 },
      { providerId: '3', pieceBytesMax: 199 },
    ],
    ['2', '1'],
  ],
  [
    'greater preference before endorsed, and after the maximum',
    [
      { providerId: '1', isEndorsed: true },
      { providerId: '2', preference: 1 },
      { providerId: '3', preference: 2, pieceBytesMax: 200 },
      { providerId: '4', preference: -1 },
    ],
    ['2', '1', '4', '3'],
  ],
  ['blocked never', [{ providerId: '1', isBlocked: true, preference: 9 }, { providerId: '2' }], ['2']],
  [
    'endorsed before lower latency',
    [
      { providerId: '1', latencyMs: 1 },
      { providerId: '2', isEndorsed: true, latencyMs: 900 },
    ],
    ['2', '1'],
  ],
  [
    'lower load before lower latency',
    [
      { providerId: '1', load: 3, latencyMs: 1 },
      { providerId: '2', latencyMs: 900 },
    ],
    ['2', '1'],
  ],
  [
    'lower latency first',
    [
      { providerId: '1', latencyMs: 20 },
      { providerId: '2', latencyMs: 10 },
    ],
    ['2', '1'],
  ],
  ['equal candidates by numeric id', [{ providerId: '10' }, { providerId: '9' }], ['9', '10']],
])('%s', (_name, candidates, order) => {
  expect(chosen(candidates)).toEqual(order)
})

test('a provider that the bucket ever used is not picked again', () => {
  expect(chosen([{ providerId: '1' }, { providerId: '2' }], 2, ['1'])).toEqual(['2'])
})

test('every provider is listed with the reason against it, and a retired one is eligible for an operator', () => {
  const use = { used: new Set(['1', '2', '3']), serving: new Set(['1', '2']), source: '1', pieceBytes: 200 }
  const providers = [
    ...['1', '2', '3', '4'].map((providerId) => ({ ...plain, providerId })),
    { ...plain, providerId: '5', isBlocked: true },
    { ...plain, providerId: '6', pieceBytesMax: 199 },
  ]
  const judged = judgeCandidates(providers, use)
  expect(judged.map(({ provider, ineligibleReason, previouslyUsed }) => [provider.providerId, ineligibleReason, previouslyUsed])).toEqual([
    ['1', 'current_source', false],
    ['2', 'already_serves_bucket', false],
    ['3', undefined, true],
    ['4', undefined, false],
    ['5', 'blocked', false],
    ['6', 'piece_too_large', false],
  ])
  expect(judged.filter(({ eligible }) => eligible).map(({ provider }) => provider.providerId)).toEqual(['3', '4'])
})

const candidate = fc.record({
  providerId: fc.nat(50).map(String),
  isEndorsed: fc.boolean(),
  latencyMs: fc.nat(500),
  load: fc.nat(5),
  pieceBytesMax: fc.integer({ min: 200, max: 201 }),
})

test('picks at most the wanted number, no used provider, and the same for any order of candidates', () => {
  const candidates = fc.uniqueArray(candidate, { selector: ({ providerId }) => providerId, maxLength: 12 })
  fc.assert(
    fc.property(candidates, fc.nat(8), fc.array(fc.nat(50).map(String)), (list, count, used) => {
      const picked = chosen(list, count, used)
      expect(picked.length).toBe(Math.min(count, list.filter(({ providerId }) => !used.includes(providerId)).length))
      expect(picked.filter((id) => used.includes(id))).toEqual([])
      expect(chosen(list.toReversed(), count, used)).toEqual(picked)
    }),
  )
})
