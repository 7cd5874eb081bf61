import { expect, test } from 'vitest'
import type { NativeClient } from './native.ts'
import { ReaderPool } from './reader-pool.ts'

const client: NativeClient = { processID: 1, query: async () => ({ command: 'SELECT', rows: [], rowCount: 0 }), release() {}, once() {} }

function createPool(limits: { waiting?: number; waitMs?: number } = {}) {
  const pool = { ending: false, connect: async () => client, async end() {} }
  return new ReaderPool(pool, 'test', { readers: 1, waiting: 1, waitMs: 60_000, ...limits })
}

test('a read that gets no connection in time finds the database busy, and the next one gets the freed place', async () => {
  const pool = createPool({ waitMs: 1 })
  const { promise, resolve } = Promise.withResolvers<string>()
  const first = pool.use(() => promise)
  await expect(pool.use(async () => 'late')).rejects.toMatchObject({ code: 'database_busy', status: 503 })
  resolve('first')
  expect(await first).toBe('first')
  expect(await pool.use(async () => 'next')).toBe('next')
})

test('waiting reads are served in their order, more of them than the limit are refused, and a failed read frees its place', async () => {
  const pool = createPool()
  const { promise, reject } = Promise.withResolvers<string>()
  const first = pool.use(() => promise)
  const second = pool.use(async () => 'second')
  await expect(pool.use(async () => 'third')).rejects.toMatchObject({ code: 'database_busy' })
  reject(new Error('failed'))
  await expect(first).rejects.toThrow('failed')
  expect(await second).toBe('second')
  expect(await pool.use(async () => 'fourth')).toBe('fourth')
})

test('a reserved use does not wait for the reads', async () => {
  const pool = createPool()
  const { promise, resolve } = Promise.withResolvers<string>()
  const first = pool.use(() => promise)
  expect(await pool.reserved(async () => 'reserved')).toBe('reserved')
  resolve('first')
  await first
})
