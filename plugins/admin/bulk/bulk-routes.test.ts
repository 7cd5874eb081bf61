import { afterAll, beforeAll, expect, test } from 'vitest'
import { database, events } from '#kernel'
import { promised, silentLog } from '#kernel/testing'
import { buckets } from '#plugins/storage'
import { showBucket } from '../buckets/bucket-api.ts'
import { type TestAdmin, testAdmin } from '../testing/test-admin.ts'
import { addBulkAction, endBulkAction } from './bulk-action-store.ts'
import { showBulkAction, startBulkAction } from './bulk-api.ts'

let svc: TestAdmin
/** Called with the lines of the log. */
let onLine: (message: string) => void = () => {}
const path = (bucket: string) => `/api/v1/buckets/${bucket}/bulk-actions`
const whole = [{ prefix: '' }]

beforeAll(async () => {
  const log = { ...silentLog, info: (message: string) => onLine(message), child: () => log }
  svc = await testAdmin({ log })
})
afterAll(() => svc.stop())

const addBucket = (name: string) => svc.kernel.get(buckets).create({ name, ownerAccessKey: null })

/** Replaces the bounds of storage; returns how many were asked for. */
function countBounds(onBounds?: (asked: number) => Promise<void>): () => number {
  let asked = 0
  svc.storage.history.rangeOf = async () => {
    asked += 1
    await onBounds?.(asked)
    return { after: { key: '', rseq: 0 }, high: 'z' }
  }
  return () => asked
}

test('the deletion of a bucket is refused for a part of it, and changes nothing', async () => {
  await addBucket('kept')
  for (const targets of [[{ prefix: 'tmp/' }], [{ key: 'a' }], [...whole, ...whole]]) {
    const body = { action: 'delete_bucket', targets, client_request_id: 'part', confirm: 'kept' }
    expect(await svc.call('POST', path('kept'), body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(await svc.call('POST', `${path('kept')}/preview`, { action: 'delete_bucket', targets })).toMatchObject({ status: 400 })
  }
  expect((await svc.call('GET', path('kept'))).body).toEqual({ actions: [] })
})

test('a repeated request gets its action also when that deleted the bucket, and never that of another bucket', async () => {
  for (const name of ['gone', 'other']) await addBucket(name)
  const remove = (name: string) =>
    svc.call('POST', path(name), { action: 'delete_bucket', targets: whole, client_request_id: 'once', confirm: name })
  const { id } = promised(startBulkAction, await remove('gone'))
  const show = async () => promised(showBulkAction, await svc.call('GET', `/api/v1/bulk-actions/${id}`))
  await expect.poll(async () => (await show()).status).toBe('completed')
  expect(await remove('gone')).toMatchObject({ status: 202, body: { id, status: 'completed' } })
  expect(await remove('other')).toMatchObject({ status: 409, body: { code: 'bulk_action_idempotency_conflict' } })
})

test('a repeated request counts nothing again', async () => {
  await addBucket('counted')
  const asked = countBounds()
  const told: unknown[] = []
  const end = svc.kernel.get(events).subscribe(({ topic, payload }) => {
    if (topic === 'bucket_updated') told.push(payload)
  })
  const move = () => svc.call('POST', path('counted'), { action: 'move_to_trash', targets: whole, client_request_id: 'counted' })
  const first = promised(startBulkAction, await move())
  expect(promised(startBulkAction, await move()).id).toBe(first.id)
  expect(asked()).toBe(1)
  // Watchers of the bucket hear of the new action, once.
  expect(told).toEqual([{ bucket_name: 'counted' }])
  end()
})

test('the details of a bucket name the action that runs, and none after its end', async () => {
  const { id: bucketId } = await addBucket('busy')
  const shown = async () => promised(showBucket, await svc.call('GET', '/api/v1/buckets/busy')).bulk_action_id
  expect(await shown()).toBeUndefined()
  const db = svc.kernel.get(database)
  const action = { bucketId, bucket: 'busy', clientRequestId: 'busy', action: 'restore', targets: whole, total: 1, nowMs: 0 } as const
  const id = await db.write((tx) => addBulkAction(tx, action))
  expect([await shown(), typeof id]).toEqual([id, 'number'])
  await db.write((tx) => endBulkAction(tx, { id: id ?? 0, status: 'stopped', problem: null, nowMs: 1 }))
  expect(await shown()).toBeUndefined()
})

test('a count ends when its client leaves', async () => {
  await addBucket('left')
  const client = new AbortController()
  const left = Promise.withResolvers<void>()
  // The audit line is written when the listener sees that the client is gone.
  onLine = () => left.resolve()
  const asked = countBounds(async (count) => {
    client.abort()
    if (count === 2) await left.promise
  })
  const targets = Array(500).fill(whole[0])
  const body = JSON.stringify({ action: 'restore', targets, client_request_id: 'left' })
  const headers = { 'content-type': 'application/json' }
  await expect(svc.fetch(path('left'), { method: 'POST', body, headers, signal: client.signal })).rejects.toThrow()
  await left.promise
  const seen = [0]
  await expect.poll(() => seen.push(asked()) && seen.at(-1) === seen.at(-2)).toBe(true)
  expect(asked()).toBe(2)
})
