import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Events, type PublishedEvent, silentLog, taskUpdated } from '#kernel'
import { ok, uncertain } from '../chain/provider-answer.ts'
import type { ProviderClient } from '../chain/provider-client.ts'
import { openStorageRows, type StorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline } from '../testing/test-pipeline.ts'
import { commitPieces } from './commit-pieces.ts'
import type { PipelineContent } from './copy-store.ts'
import { storeContent } from './store-content.ts'
import { createUploadEvents, uploadEventLimits } from './upload-events.ts'

const { signal } = new AbortController()
const size = 300
let rows: StorageRows
let doors: TestPipeline

beforeEach(async () => {
  rows = await openStorageRows()
  doors = createTestPipeline(rows)
  doors.world.cached = { path: '/cached', size }
})

afterEach(async () => {
  await doors.uploadEvents[Symbol.asyncDispose]()
  await rows[Symbol.asyncDispose]()
})

const addVersion = (content: PipelineContent, key = 'a/b.jpg') =>
  rows.database.write((tx) =>
    tx.run(
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

const told = (topic: string) => doors.published.filter((event) => event.topic === topic).map(({ payload }) => payload)
const identity = { upload_id: 1, task_id: null, version_id: 'version of a/b.jpg', bucket_name: 'photos', object_key: 'a/b.jpg' }

/** Takes the bytes in steps: after each, `seconds` pass. */
function takeSlowly(steps: readonly { readonly sent: number; readonly seconds: number }[], isTaken = true): void {
  doors.providers.client = () =>
    ({
      async upload({ onProgress }: { onProgress(sentBytes: number): void }) {
        for (const { sent, seconds } of steps) {
          onProgress(sent)
          await doors.clock.advance(seconds * 1000)
        }
        return isTaken ? ok({ alreadyStored: false }) : uncertain({ reason: 'connection_lost', detail: 'reset' })
      },
      findPiece: async () => ok({ isFound: true }),
    }) as unknown as ProviderClient
}

const frames = () =>
  told('upload_progress_updated').map((payload) => {
    const { progress } = payload as { readonly progress: { uploaded_bytes: number; done: boolean } }
    return [progress.uploaded_bytes, progress.done]
  })

test('an upload is told at most once a second, and once more when it is done', async () => {
  await rows.addDataSet()
  const content = await addObject()
  takeSlowly([
    { sent: 50, seconds: 0.4 },
    { sent: 100, seconds: 0.7 },
    { sent: 150, seconds: 0.5 },
    { sent: 200, seconds: 0.6 },
    { sent: 300, seconds: 0 },
  ])
  await storeContent(doors, content.contentId, signal)
  expect(frames()).toEqual([
    [0, false],
    [150, false],
    [300, false],
    [300, true],
  ])
  expect(told('upload_progress_updated')[1]).toEqual({
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

test('an upload that broke off is never told as done', async () => {
  await rows.addDataSet()
  const content = await addObject()
  takeSlowly([{ sent: 100, seconds: 2 }], false)
  await storeContent(doors, content.contentId, signal)
  expect(frames()).toEqual([[0, false]])
  expect(doors.uploads.of(content.contentId)).toBeUndefined()
})

test('every change of an object’s state is told, a second after it, with the state it then has', async () => {
  const dataSet = await rows.addDataSet()
  const content = await addObject()
  takeSlowly([])
  await storeContent(doors, content.contentId, signal)
  await doors.clock.advance(999)
  expect(told('upload_state_changed')).toEqual([])
  await doors.clock.advance(1)
  expect(told('upload_state_changed')).toEqual([{ ...identity, state: 'uploading' }])
  // Nothing changes when the step is only repeated.
  await storeContent(doors, content.contentId, signal)
  await doors.clock.advance(5000)
  expect(told('upload_state_changed').length).toBe(1)

  doors.world.client = {
    addPieces: async () => ok({ txHash: `0x${'1'.repeat(64)}` }),
    additionStatus: async () => ok({ state: 'pending' }),
  } as unknown as Partial<ProviderClient>
  doors.providers.client = () => doors.world.client as ProviderClient
  await commitPieces(doors, dataSet.id, signal)
  await doors.clock.advance(1000)
  expect(told('upload_state_changed').slice(1)).toEqual([{ ...identity, state: 'committing' }])

  doors.world.nonce = { landed: true, dataSetId: dataSet.chainId ?? 0n, nextPieceId: 5n }
  await doors.clock.advance(60_000)
  await commitPieces(doors, dataSet.id, signal)
  await doors.clock.advance(1000)
  expect(told('upload_state_changed').slice(2)).toEqual([{ ...identity, state: 'stored' }])
})

test('changes that follow one another within a second are told once, and only so many are kept', async () => {
  const contents: PipelineContent[] = []
  for (let i = 0; i < uploadEventLimits.gatheredMax + 5; i++) {
    const content = await rows.addContent()
    await addVersion(content, `k${i}`)
    contents.push(content)
  }
  for (let round = 0; round < 3; round++) {
    await rows.database.write((tx) => {
      for (const { contentId } of contents) doors.uploadEvents.moved(tx, contentId)
    })
  }
  await doors.clock.advance(1000)
  expect(told('upload_state_changed').length).toBe(uploadEventLimits.gatheredMax)
})

test('an object fails when its store task gives up, and is on its way again when that is retried', async () => {
  const { contentId } = await addObject()
  let announce = (_event: PublishedEvent): void => {}
  const events: Events = {
    ...doors.events,
    subscribe: (listener) => {
      announce = listener
      return () => {}
    },
  }
  let isOpen = false
  await using _ = createUploadEvents({ ...doors, events, queue: { isOpen: () => isOpen } })
  const heard = () => told('upload_state_changed').map((payload) => (payload as { readonly state: string }).state)
  const tell = async (presentation_status: string, type = 'storage_store') => {
    const subject = { type: 'storage_content', key: String(contentId) }
    announce({ topic: taskUpdated.topic, payload: { task_id: 7, type, presentation_status, subject } })
    await doors.clock.advance(1000)
  }
  await tell('failed')
  expect(heard()).toEqual(['failed'])
  isOpen = true
  await tell('queued')
  expect(heard()).toEqual(['failed', 'cached'])
  await tell('dismissed')
  await tell('completed')
  await tell('failed', 'cache_evict')
  expect(heard()).toHaveLength(2)
})

test('what no version has any more, and what was rolled back, is not told', async () => {
  const content = await rows.addContent()
  await rows.database.write((tx) => doors.uploadEvents.moved(tx, content.contentId))
  await addVersion(await rows.addContent(), 'kept')
  const undone = rows.database.write((tx) => {
    doors.uploadEvents.moved(tx, content.contentId + 1)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  await doors.clock.advance(2000)
  expect(doors.published).toEqual([])
})

test('an upload goes on when watchers cannot be told', async () => {
  const database = {
    ...doors.database,
    read: {
      ...doors.database.read,
      get: () => {
        throw new Error('disk I/O error')
      },
    },
  } as unknown as TestPipeline['database']
  const warnings: string[] = []
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) }
  await using events = createUploadEvents({ ...doors, database, log, queue: { isOpen: () => true } })
  events.progressed(1, { attempt: 1, sentBytes: 1, totalBytes: 2, updatedAtMs: 0, isDone: false })
  await rows.database.write((tx) => events.moved(tx, 1))
  await doors.clock.advance(1000)
  expect(warnings).toEqual(['the progress of an upload could not be announced', 'changes of uploads could not be announced'])
})
