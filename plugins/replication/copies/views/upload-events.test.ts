import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TaskChange, TaskChanges } from '#kernel/system'
import { runSql, silentLog } from '#kernel/testing'
import type { ProviderClient } from '#plugins/providers'
import { ok, uncertain } from '../../../providers/testing/index.ts'
import { openStorageRows, type StorageRows } from '../../testing/storage-rows.ts'
import { allOpen, createTestPipeline, type TestPipeline } from '../../testing/test-pipeline.ts'
import { commitPieces } from '../batches/commit-pieces.ts'
import { storeContent } from '../placing/store-content.ts'
import type { PipelineContent } from '../records/copy-store.ts'
import { createUploadEvents, uploadEventLimits } from './upload-events.ts'

const { signal } = new AbortController()
const size = 300
let rows: StorageRows
let deps: TestPipeline

beforeEach(async () => {
  rows = await openStorageRows()
  deps = createTestPipeline(rows)
  deps.world.cached = { path: '/cached', size }
})

afterEach(async () => {
  await deps.uploadEvents[Symbol.asyncDispose]()
  await rows[Symbol.asyncDispose]()
})

const addVersion = (content: PipelineContent, key = 'a/b.jpg') =>
  rows.database.write((tx) =>
    runSql(
      tx,
      `insert into object_versions (bucket_id, key, rseq, version_id, content_id, is_delete_marker, size, etag, content_type, created_at)
       values (1, ?, -1, ?, ?, 0, ?, '', '', 0)`,
      key,
      `version of ${key}`,
      content.contentId,
      size,
    ),
  )

async function addObject(copies = 1): Promise<PipelineContent> {
  const content = await rows.addContent({ bytes: Buffer.alloc(size, 'x'), copies })
  await addVersion(content)
  return content
}

const payloads = (topic: string) => deps.published.filter((event) => event.topic === topic).map(({ payload }) => payload)
const changes = () => payloads('upload_state_changed')
const identity = { upload_id: 1, task_id: null, version_id: 'version of a/b.jpg', bucket_name: 'photos', object_key: 'a/b.jpg' }

/** The provider takes the bytes in steps; `seconds` pass after each. */
function takeSlowly(steps: readonly { readonly sent: number; readonly seconds: number }[], isTaken = true): void {
  deps.providers.client = () =>
    ({
      async upload({ onProgress }: { onProgress(sentBytes: number): void }) {
        for (const { sent, seconds } of steps) {
          onProgress(sent)
          await deps.clock.advance(seconds * 1000)
        }
        return isTaken ? ok({ alreadyStored: false }) : uncertain({ reason: 'connection_lost', detail: 'reset' })
      },
      findPiece: async () => ok({ isFound: true }),
    }) as unknown as ProviderClient
}

const frames = () =>
  payloads('upload_progress_updated').map((payload) => {
    const { progress } = payload as { readonly progress: { uploaded_bytes: number; done: boolean } }
    return [progress.uploaded_bytes, progress.done]
  })

/** Waits for the events of the steps so far. */
const published = () => deps.uploadEvents[Symbol.asyncDispose]()

test('progress is published at most once a second, and once more when the upload is done', async () => {
  await rows.addDataSet()
  const content = await addObject()
  takeSlowly([
    { sent: 50, seconds: 0.4 },
    { sent: 100, seconds: 0.7 },
    { sent: 150, seconds: 0.5 },
    { sent: 200, seconds: 0.6 },
    { sent: 300, seconds: 0 },
  ])
  await storeContent(deps, content.contentId, signal)
  // A disposal drops what a slow database has not published yet.
  await expect.poll(frames).toEqual([
    [0, false],
    [150, false],
    [300, false],
    [300, true],
  ])
  expect(payloads('upload_progress_updated')[1]).toEqual({
    ...identity,
    progress: {
      scope: 'ingress_store',
      attempt: 1,
      uploaded_bytes: 150,
      total_bytes: 300,
      percent: 50,
      done: false,
      updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  })
})

test('an upload that broke off is never published as done', async () => {
  await rows.addDataSet()
  const content = await addObject()
  takeSlowly([{ sent: 100, seconds: 2 }], false)
  await storeContent(deps, content.contentId, signal)
  await expect.poll(frames).toEqual([[0, false]])
  await published()
  expect(frames()).toEqual([[0, false]])
  expect(deps.uploads.of(content.contentId)).toBeUndefined()
})

test('a state change is published one second later, with the state at that time', async () => {
  const dataSet = await rows.addDataSet()
  const content = await addObject()
  takeSlowly([])
  await storeContent(deps, content.contentId, signal)
  await deps.clock.advance(999)
  expect(changes()).toEqual([])
  await deps.clock.advance(1)
  await expect.poll(changes).toEqual([{ ...identity, state: 'uploading' }])
  // A repeated step publishes nothing.
  await storeContent(deps, content.contentId, signal)
  await deps.clock.advance(5000)
  expect(changes()).toHaveLength(1)

  deps.world.client = {
    addPieces: async () => ok({ txHash: `0x${'1'.repeat(64)}` }),
    additionStatus: async () => ok({ state: 'pending' }),
  } as unknown as Partial<ProviderClient>
  deps.providers.client = () => deps.world.client as ProviderClient
  await commitPieces(deps, dataSet.id, signal)
  await deps.clock.advance(1000)
  await expect.poll(() => changes().slice(1)).toEqual([{ ...identity, state: 'committing' }])

  deps.world.nonce = { landed: true, dataSetId: dataSet.chainId ?? 0n, nextPieceId: 5n }
  await deps.clock.advance(60_000)
  await commitPieces(deps, dataSet.id, signal)
  await deps.clock.advance(1000)
  await expect.poll(() => changes().slice(2)).toEqual([{ ...identity, state: 'stored' }])
})

test('changes of one content within a second are published once, and at most the maximum of contents', async () => {
  const contents: PipelineContent[] = []
  for (let i = 0; i < uploadEventLimits.gatheredMax + 5; i++) {
    const content = await rows.addContent()
    await addVersion(content, `k${i}`)
    contents.push(content)
  }
  for (let round = 0; round < 3; round++) {
    await rows.database.write((tx) => {
      for (const { contentId } of contents) deps.uploadEvents.changed(tx, [contentId])
    })
  }
  await deps.clock.advance(1000)
  await expect.poll(changes).toHaveLength(uploadEventLimits.gatheredMax)
})

test('a change of a pack is one of its members, of which at most the maximum are published', async () => {
  const { contentId: pack } = await rows.addContent()
  const sql = (text: string) => rows.database.write((tx) => runSql(tx, text))
  await sql(`insert into packs (content_id, bucket_id, created_at) values (${pack}, 1, 0)`)
  for (let at = 0; at < uploadEventLimits.gatheredMax + 5; at++) {
    const member = await rows.addContent()
    await addVersion(member, `k${at}`)
    await sql(`insert into pack_members (content_id, pack_id, offset_bytes, length) values (${member.contentId}, ${pack}, ${at}, 1)`)
  }
  await rows.database.write((tx) => deps.uploadEvents.changed(tx, [pack]))
  await deps.clock.advance(1000)
  await expect.poll(changes).toHaveLength(uploadEventLimits.gatheredMax)
})

test('the state is failed when the store task fails, and cached again when the task is retried', async () => {
  const { contentId } = await addObject()
  let announce = (_task: TaskChange): void => {}
  const taskChanges: TaskChanges = {
    subscribe: (listener) => {
      announce = listener
      return () => {}
    },
  }
  let isOpen = false
  await using _ = createUploadEvents({ ...deps, taskChanges, queue: { openKeys: async (_reader, keys) => new Set(isOpen ? keys : []) } })
  const states = () => changes().map((payload) => (payload as { readonly state: string }).state)
  const updateTask = async (status: TaskChange['status'], kind = 'storage_store') => {
    const task = { id: 7, kind, status, subjectType: 'storage_content', subjectKey: String(contentId) }
    announce({ ...task, runAtMs: 0, waitReason: null, acknowledgedAtMs: null })
    await deps.clock.advance(1000)
  }
  await updateTask('failed')
  await expect.poll(states).toEqual(['failed'])
  isOpen = true
  await updateTask('pending')
  await expect.poll(states).toEqual(['failed', 'cached'])
  await updateTask('completed')
  await updateTask('failed', 'cache_evict')
  expect(states()).toHaveLength(2)
})

test('contents without versions and rolled back changes are not published', async () => {
  const content = await rows.addContent()
  await rows.database.write((tx) => deps.uploadEvents.changed(tx, [content.contentId]))
  await addVersion(await rows.addContent(), 'kept')
  const undone = rows.database.write((tx) => {
    deps.uploadEvents.changed(tx, [content.contentId + 1])
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  await deps.clock.advance(2000)
  expect(deps.published).toEqual([])
})

test('an upload continues when its events cannot be published', async () => {
  const database = {
    ...deps.database,
    read: {
      ...deps.database.read,
      get: () => {
        throw new Error('disk I/O error')
      },
    },
    snapshot: async () => {
      throw new Error('disk I/O error')
    },
  } as unknown as TestPipeline['database']
  const warnings: string[] = []
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) }
  await using events = createUploadEvents({ ...deps, database, log, queue: allOpen })
  events.progressed(1, { attempt: 1, sentBytes: 1, totalBytes: 2, updatedAtMs: 0, isDone: false })
  await rows.database.write((tx) => events.changed(tx, [1]))
  await deps.clock.advance(1000)
  await expect.poll(() => warnings).toEqual(['upload progress could not be published', 'upload state changes could not be published'])
})

test('while no client watches, nothing is read for events, and they are counted as skipped', async () => {
  const content = await addObject()
  deps.world.isWatched = false
  const refuse = () => {
    throw new Error('nothing needs to be read')
  }
  const database = { ...deps.database, read: { get: refuse, all: refuse }, snapshot: refuse } as unknown as TestPipeline['database']
  const warnings: string[] = []
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) }
  await using events = createUploadEvents({ ...deps, database, log, queue: allOpen })
  events.progressed(content.contentId, step(1))
  await rows.database.write((tx) => events.changed(tx, [content.contentId]))
  await deps.clock.advance(1000)
  await expect.poll(() => deps.published.map(({ topic }) => topic)).toEqual(['skipped', 'skipped'])
  expect(warnings).toEqual([])
})

/** A database whose reads of versions wait until `release` is called. */
function slowDatabase() {
  const gate = Promise.withResolvers<void>()
  const { read } = deps.database
  const get: typeof read.get = async (statement, ...params) => {
    await gate.promise
    return read.get(statement, ...params)
  }
  return { database: { ...deps.database, read: { ...read, get } } as TestPipeline['database'], release: gate.resolve }
}

const step = (sentBytes: number) => ({ attempt: 1, sentBytes, totalBytes: size, updatedAtMs: 0, isDone: sentBytes === size })

test('events keep their order while the database is slow, and steps above the maximum are dropped', async () => {
  const content = await addObject()
  const { database, release } = slowDatabase()
  await using events = createUploadEvents({ ...deps, database, queue: allOpen })
  for (let sent = 1; sent <= uploadEventLimits.waitingMax + 5; sent++) events.progressed(content.contentId, step(sent))
  await rows.database.write((tx) => events.changed(tx, [content.contentId]))
  await deps.clock.advance(1000)
  expect(deps.published).toEqual([])
  release()
  await expect.poll(changes).toHaveLength(1)
  const topics = deps.published.map(({ topic }) => topic)
  expect(topics).toEqual([...Array(topics.length - 1).fill('upload_progress_updated'), 'upload_state_changed'])
  const sent = frames().map(([bytes]) => bytes)
  expect(sent).toEqual(sent.map((_, index) => index + 1))
  expect(sent).toHaveLength(uploadEventLimits.waitingMax)
})

test('after the end of the service nothing waits to be published', async () => {
  const content = await addObject()
  const { database, release } = slowDatabase()
  const events = createUploadEvents({ ...deps, database, queue: allOpen })
  for (let sent = 1; sent <= 3; sent++) events.progressed(content.contentId, step(sent))
  await deps.clock.advance(0)
  const ended = events[Symbol.asyncDispose]()
  release()
  await ended
  await deps.clock.advance(0)
  // The one that was being published.
  expect(frames()).toEqual([[1, false]])
})
