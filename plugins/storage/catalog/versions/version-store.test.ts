import { afterEach, beforeEach, expect, test } from 'vitest'
import { allRows, queryPlan, runsOnSqlite, watchStatements } from '#kernel/testing'
import { openVersionStorage, type VersionStorage } from '../../testing/version-storage.ts'
import { addCurrent, type NewCurrent } from './version-store.ts'

let storage: VersionStorage

beforeEach(async () => {
  storage = await openVersionStorage()
})

afterEach(() => storage[Symbol.asyncDispose]())

test('the current version of a key is looked up without a walk over its versions', async () => {
  const bucket = storage.buckets.require('photos')
  const put = { bucket, key: 'k', versionId: 'v', nowMs: 1 } as NewCurrent
  const texts: string[] = []
  const adding = storage.database.write((tx) =>
    addCurrent(
      watchStatements(tx, (sql) => texts.push(sql)),
      put,
      () => Promise.reject(new Error('ends the transaction')),
    ),
  )
  await expect(adding).rejects.toThrow('ends the transaction')
  const [sql = ''] = texts
  expect(texts).toHaveLength(1)
  if (runsOnSqlite()) {
    const plan = await queryPlan(storage.database.read, texts)
    expect(plan.filter((step) => !/^(SEARCH|SCALAR SUBQUERY|LEFT-JOIN)/.test(step))).toEqual([])
    return
  }
  const steps = await allRows<{ 'QUERY PLAN': string }>(storage.database.read, `explain ${sql}`, 'k', bucket.id, 'k', bucket.id)
  expect(steps.map((step) => step['QUERY PLAN']).filter((step) => step.includes('Sort'))).toEqual([])
})
