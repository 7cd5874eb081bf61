import { expect, test } from 'vitest'
import { combineWork, judgeWork, type OpenWork } from './work-policy.ts'

const task = (waitReason: string | null, runAtMs = 0, providerId: string | null = null): OpenWork => ({ waitReason, runAtMs, providerId })
const facts = { state: 'replicating', isStuck: false, isPacking: false, tasks: [] } as const
const works = { waitReason: null, waitUntilMs: null, waitsForProvider: null }

test('I-43: an object is worked on while one of its tasks does not wait, and waits with the reason of the first that runs again', () => {
  const table = [
    [
      { ...facts, state: 'stored' },
      { ...works, work: 'complete' },
    ],
    [
      { ...facts, tasks: [task(null), task('provider')] },
      { ...works, work: 'working' },
    ],
    // No task yet: one has ended, the next is enqueued.
    [facts, { ...works, work: 'working' }],
    [
      { ...facts, isStuck: true, tasks: [task(null)] },
      { ...works, work: 'stuck' },
    ],
    [
      { ...facts, state: 'failed' },
      { ...works, work: 'stuck' },
    ],
    [
      { ...facts, state: 'cached', isPacking: true },
      { ...works, work: 'waiting', waitReason: 'pack' },
    ],
    [
      { ...facts, tasks: [task('funding', 9), task('provider', 5, '7')] },
      { work: 'waiting', waitReason: 'provider', waitUntilMs: 5, waitsForProvider: '7' },
    ],
  ] as const
  for (const [given, expected] of table) expect(judgeWork(given), JSON.stringify(given)).toEqual(expected)
})

test('a composite is stuck with one part, and waits only when no part is worked on', () => {
  const [stuck, working, complete] = (['stuck', 'working', 'complete'] as const).map((work) => ({ ...works, work }))
  const waits = { ...works, work: 'waiting', waitReason: 'chain', waitUntilMs: 8 } as const
  if (!stuck || !working || !complete) throw new Error('three works')
  expect(combineWork([complete, working, stuck, waits])).toBe(stuck)
  expect(combineWork([complete, waits, working])).toBe(working)
  expect(combineWork([{ ...waits, waitUntilMs: 9 }, waits, complete])).toBe(waits)
  expect(combineWork([complete, complete]).work).toBe('complete')
})
