import { expect, test } from 'vitest'
import type { TaskQueue } from '#kernel'
import { getRow, runSql } from '#kernel/testing'
import { openObjectStorage } from '../../../storage/testing/object-storage.ts'
import { rowContents } from '../../testing/piece-keeper.ts'
import { replicationSchema } from '../../testing/schemas.ts'
import { storeWhenDue } from './store-when-due.ts'

const recording = (open: Set<string>, enqueued: string[]): Pick<TaskQueue, 'add' | 'hasOpen'> => ({
  add: async (_tx, { kind }, args, { key = '' } = {}) => {
    enqueued.push(`${kind} ${JSON.stringify(args)}`)
    open.add(key)
    return 1
  },
  hasOpen: async (_reader, key) => open.has(key),
})

/** Storage over a queue that only records its keys. */
async function openStorage() {
  const open = new Set<string>()
  const enqueued: string[] = []
  const queue = recording(open, enqueued)
  const storage = await openObjectStorage({
    moreSchemas: [replicationSchema],
    onNewContent: (tx, content) => storeWhenDue({ queue, contents: rowContents }, tx, content),
  })
  return { storage, open, enqueued }
}

test('a content gets one store task, and another one by a new upload of the same bytes after the first gave up', async () => {
  const { storage, open, enqueued } = await openStorage()
  await using _ = storage
  const { contentId } = await storage.put('a', 'same')
  const store = `storage_store {"contentId":${contentId}}`
  expect(enqueued).toEqual([store])
  await storage.put('b', 'same')
  expect(enqueued).toEqual([store])
  open.clear()
  await storage.put('c', 'same')
  expect(enqueued).toEqual([store, store])
})

test('a content that a provider has gets no new store task', async () => {
  const { storage, open, enqueued } = await openStorage()
  await using _ = storage
  const { contentId } = await storage.put('a', 'same')
  open.clear()
  await storage.database.write(async (tx) => {
    await runSql(tx, "update contents set store_state = 'storing'")
    await runSql(
      tx,
      `insert into data_sets (id, bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id, state, created_at, updated_at)
       values (1, 1, 1, 1, '1', '', '', '', '1', 'ready', 0, 0)`,
    )
    await runSql(
      tx,
      `insert into copies (piece_id, content_id, data_set_id, slot, state, method, created_at, updated_at)
       select id, content_id, 1, 1, 'parked', 'store', 0, 0 from pieces where content_id = ?`,
      contentId,
    )
  })
  await storage.put('b', 'same')
  expect(enqueued).toHaveLength(1)
})

test('I-30: a new upload of the same bytes enqueues the proof of an unproven piece CID and keeps the bytes cached until then', async () => {
  const { storage, open, enqueued } = await openStorage()
  await using _ = storage
  await storage.put('a', 'same')
  open.clear()
  const settle = (isProven: number) =>
    storage.database.write(async (tx) => {
      await runSql(tx, "update contents set store_state = 'stored', durable_copies = 2, readable_copies = 2")
      await runSql(tx, "update pieces set piece_cid = 'cid', is_proven = ?", isProven)
      await runSql(tx, 'update cache_entries set releasable = 1')
    })
  const isReleasable = async () =>
    (await getRow<{ yes: number }>(storage.database.read, 'select releasable as yes from cache_entries'))?.yes === 1
  await settle(1)
  await storage.put('b', 'same')
  expect([enqueued.length, await isReleasable()]).toEqual([1, true])
  await settle(0)
  await storage.put('c', 'same')
  expect([enqueued.length, await isReleasable()]).toEqual([2, false])
})

test('a content that was missed while the plugin was disabled is stored, and its unproven piece CID is proven', async () => {
  const { storage, open, enqueued } = await openStorage()
  await using _ = storage
  const version = await storage.put('a', 'same')
  const content = { id: version.contentId ?? 0, bucketId: 1, size: 4, targetCopies: 2, durableCopies: 1, readableCopies: 1 }
  const needed = (reason: 'missed' | 'stored') =>
    storage.database.write((tx) => storeWhenDue({ queue: recording(open, enqueued), contents: rowContents }, tx, { ...content, reason }))
  open.clear()
  await storage.database.write((tx) => runSql(tx, "update contents set store_state = 'storing', durable_copies = 1"))
  await needed('missed')
  expect(enqueued).toHaveLength(2)
  open.clear()
  await storage.database.write((tx) => runSql(tx, "update pieces set piece_cid = 'cid', is_proven = 0"))
  await needed('stored')
  expect(enqueued).toHaveLength(3)
  expect(await getRow(storage.database.read, 'select awaits_proof as held from cache_entries')).toEqual({ held: 1 })
})
