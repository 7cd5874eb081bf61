import { expect, test } from 'vitest'
import { kernelErrors } from '../../errors.ts'
import type { Tx } from '../database.ts'
import { DatabaseError } from '../database-error.ts'
import { type FreeBytes, WriteHealth } from './write-health.ts'

function setUp(freeBytes: FreeBytes | undefined, isFull = false) {
  const faults: (Error | undefined)[] = []
  const health = new WriteHealth('/nowhere/at/all/svc.db', (fault) => faults.push(fault), freeBytes)
  const statements: string[] = []
  const tx = { run: (sql: string) => void statements.push(sql) } as unknown as Tx
  const write = async (job: (tx: Tx) => void) => {
    job(tx)
    if (isFull) throw health.explain(new DatabaseError('svc.db', 'SQLITE_FULL', new Error('database or disk is full')))
  }
  return { faults, statements, check: () => health.check(write) }
}

test('a file system that reports no free blocks but accepts writes is not full', async () => {
  const { check, faults, statements } = setUp(async () => 0)
  expect([await check(), await check()]).toEqual([undefined, undefined])
  // Health is public: a second call within a second makes no test write.
  expect(statements).toHaveLength(2)
  expect(faults).toEqual([])
})

test('a full disk is detected before a request fails', async () => {
  const { check, faults } = setUp(async () => 1000, true)
  expect([await check(), await check()]).toEqual(['disk full', 'disk full'])
  expect(faults).toMatchObject([{ code: kernelErrors.database_full().code }])
})

test('with free space, or when the file system reports none, no test write is made', async () => {
  for (const freeBytes of [async () => 1024 ** 3, async () => undefined, undefined]) {
    const { check, statements } = setUp(freeBytes, true)
    expect(await check()).toBeUndefined()
    expect(statements).toEqual([])
  }
})
