import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { progress, replacement } from '../testing/test-surface.ts'
import { createReplacementUpdates } from './replacement-updates.ts'

function start({ isWatched = true } = {}) {
  let listen: (id: number) => void = () => {}
  let wake: () => void = () => {}
  const published: unknown[] = []
  const warnings: unknown[] = []
  const reads: number[] = []
  const records = new Map([[1, replacement({ status: 'migrating', phase: 'migrate' })]])
  const skipped = { count: 0 }
  const updates = createReplacementUpdates({
    replacements: {
      find: async (id) => {
        reads.push(id)
        if (id === 1000) throw new Error('database is closed')
        return records.get(id)
      },
      progress: async ({ phase }) => progress({ phase }),
    },
    changes: {
      subscribe(listener) {
        listen = listener
        return () => {
          listen = () => {}
        }
      },
    },
    buckets: { list: () => [{ id: 1, name: 'photos' }] as never },
    events: {
      isWatched: () => isWatched,
      skip: () => void skipped.count++,
      publish: (_kind: unknown, payload: unknown) => void published.push(payload),
    } as never,
    clock: {
      now: () => 0,
      sleep: (_ms: number, signal: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          wake = resolve
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    } as never,
    log: { warn: (message: string) => void warnings.push(message) } as never,
  })
  return {
    updates,
    records,
    published,
    warnings,
    reads,
    skipped,
    change: (id: number) => listen(id),
    async second() {
      wake()
      await setImmediate()
      await setImmediate()
    },
  }
}

test('many changes within a second are one event, with the latest state', async () => {
  const svc = start()
  for (let n = 0; n < 1000; n++) svc.change(1)
  svc.records.set(1, replacement({ status: 'retiring', phase: 'retire' }))
  expect(svc.published).toEqual([])
  await svc.second()
  expect(svc.published).toMatchObject([{ replacement_id: 1, bucket_name: 'photos', status: 'retiring', progress: { phase: 'retire' } }])
  expect(svc.reads).toEqual([1])
  svc.change(1)
  await svc.second()
  expect(svc.published).toHaveLength(2)
})

test('at most 100 replacements are published a second, and an unknown one publishes nothing', async () => {
  const svc = start()
  for (let id = 2; id < 500; id++) svc.change(id)
  await svc.second()
  expect([svc.reads.length, svc.published]).toEqual([100, []])
})

test('without a reader of the events nothing is read, and the gap is counted', async () => {
  const svc = start({ isWatched: false })
  svc.change(1)
  await svc.second()
  expect([svc.reads, svc.published, svc.skipped.count]).toEqual([[], [], 1])
})

test('a failed read is logged, and the next second is published', async () => {
  const svc = start()
  svc.change(1000)
  await svc.second()
  expect(svc.warnings).toEqual(['updates of replacements not published'])
  svc.change(1)
  await svc.second()
  expect(svc.published).toHaveLength(1)
})

test('the disposal publishes what was gathered and ends the subscription', async () => {
  const svc = start()
  svc.change(1)
  await svc.updates[Symbol.asyncDispose]()
  expect(svc.published).toHaveLength(1)
  svc.change(1)
  await svc.second()
  expect(svc.published).toHaveLength(1)
})
