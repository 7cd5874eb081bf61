import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ProviderChoice } from '../contract/providers.ts'
import { chooseCandidates, judgeCandidates } from './candidate-policy.ts'

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

const mib = 1024 * 1024
const choose = (candidates: readonly Partial<ProviderChoice>[], count = 1) =>
  chooseCandidates(
    candidates.map((candidate, at) => ({ ...plain, providerId: String(at + 1), ...candidate })),
    { used: new Set(), serving: new Set(), pieceBytes: 200, count },
  ).map(({ providerId, chosenBecause }) => [providerId, chosenBecause.reason, chosenBecause.detail])

test.each<[string, Partial<ProviderChoice>[], readonly string[]]>([
  [
    'healthy before all else',
    [{ degraded: '60 % of recent calls succeeded', isEndorsed: true }, {}],
    ['2', 'healthy', 'the next one is degraded: 60 % of recent calls succeeded'],
  ],
  ['endorsed before fast', [{ uploadBytesPerSecond: 99 * mib }, { isEndorsed: true }], ['2', 'endorsed', 'on the endorsement list']],
  [
    'fast before the lowest load',
    [{ uploadBytesPerSecond: mib }, { uploadBytesPerSecond: 20 * mib, load: 1 }],
    ['2', 'fast', 'uploads at 20.0 MiB/s, the next one: 1.0 MiB/s'],
  ],
  [
    'similar speeds do not decide',
    [{ uploadBytesPerSecond: 20 * mib, load: 1 }, { uploadBytesPerSecond: 17 * mib }],
    ['2', 'fewest_data_sets', 'has 0 of our data sets, the next one 1'],
  ],
  [
    'one without measurements before a slow one',
    [{ uploadBytesPerSecond: mib, load: 1 }, { uploadBytesPerSecond: 64 * mib, load: 1 }, {}].slice(0, 3),
    ['2', 'fast', 'uploads at 64.0 MiB/s, the next one: not measured'],
  ],
  ['the lowest latency', [{ latencyMs: 20 }, {}], ['2', 'lowest_latency', 'answered the ping in 10 ms, the next one in 20 ms']],
  ['the only one', [{}, { isBlocked: true }], ['1', 'only_choice', 'no other provider can take the data set']],
])('the reason of a choice: %s', (_name, candidates, [id, reason, detail]) => {
  expect(choose(candidates)[0]).toEqual([id, reason, detail])
})

test('each fourth data set tries a provider without measurements first, so that none starves', () => {
  const candidates = (load: number) => [{ uploadBytesPerSecond: 64 * mib, load }, { uploadBytesPerSecond: mib }, {}]
  expect([0, 1, 2, 3, 4].map((load) => choose(candidates(load))[0]?.slice(0, 2))).toEqual([
    ['1', 'fast'],
    ['1', 'fast'],
    ['1', 'fast'],
    ['3', 'explored'],
    ['1', 'fast'],
  ])
})

test('without measurements the load spreads the data sets as before', () => {
  expect(choose([{ load: 2 }, { load: 1 }, {}], 2).map(([id]) => id)).toEqual(['3', '2'])
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
