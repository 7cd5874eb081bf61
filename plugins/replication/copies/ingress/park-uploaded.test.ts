import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ProviderClient } from '#plugins/providers'
import { notSent, ok } from '../../../providers/testing/index.ts'
import type { DataSet } from '../../datasets/data-set-store.ts'
import { openStorageRows, type StorageRows } from '../../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline, waitOf } from '../../testing/test-pipeline.ts'
import { storeContent } from '../placing/store-content.ts'
import { copiesOf, type PipelineContent, recordUpload } from '../records/copy-store.ts'
import { parkCopies } from './park-copies.ts'
import { parkUploaded } from './park-uploaded.ts'

const { signal } = new AbortController()

let rows: StorageRows
let deps: TestPipeline
let dataSet: DataSet
/** Piece CIDs that the provider serves, and those that were looked up. */
let served: Set<string>
let lookedUp: string[]

beforeEach(async () => {
  rows = await openStorageRows()
  deps = createTestPipeline(rows)
  dataSet = await rows.addDataSet()
  served = new Set()
  lookedUp = []
  answer(async (pieceCid) => ok({ isFound: served.has(pieceCid) }))
})

afterEach(() => rows[Symbol.asyncDispose]())

function answer(findPiece: ProviderClient['findPiece']): void {
  deps.world.client = {
    findPiece: (pieceCid) => {
      lookedUp.push(pieceCid)
      return findPiece(pieceCid)
    },
  }
}

/** A content whose first copy was uploaded just now. */
async function upload(copies = 1): Promise<PipelineContent & { readonly pieceCid: string; readonly copyId: number }> {
  const content = await rows.addContent({ copies })
  const copyId = await rows.addCopy(content, dataSet)
  await rows.database.write(async (tx) => {
    await deps.states.copies.apply(tx, 'upload_begun', { ids: [copyId] })
    await recordUpload(tx, copyId, deps.clock.now())
  })
  return { ...content, pieceCid: content.pieceCid as string, copyId }
}

const park = () => parkUploaded(deps, dataSet.id, signal)
const states = async ({ contentId }: PipelineContent) => (await copiesOf(rows.database.read, contentId)).map(({ state }) => state)

test('one task looks up all uploads of a data set, parks what the provider serves and ends the store tasks', async () => {
  const contents = [await upload(), await upload(), await upload()] as const
  await deps.clock.advance(deps.pace.parkingMs)
  served = new Set([contents[0].pieceCid, contents[2].pieceCid])
  expect(waitOf(await park(), deps.clock)).toEqual({ reason: 'provider_storing', forMs: deps.pace.parkingMs })
  expect([...lookedUp].sort()).toEqual(contents.map(({ pieceCid }) => pieceCid).sort())
  expect(await Promise.all(contents.map(states))).toEqual([['parked'], ['transferring'], ['parked']])
  expect(deps.scheduled).toEqual([`commit ${dataSet.id}`, `end stores ${contents[0].contentId} ${contents[2].contentId}`])
  served.add(contents[1].pieceCid)
  expect(await park()).toEqual({ kind: 'done' })
  expect(await states(contents[1])).toEqual(['parked'])
  expect(deps.world.progress).toBe(2)
})

test('the data sets that lack a copy pull it', async () => {
  const other = await rows.addDataSet()
  const content = await upload(2)
  await rows.addCopy(content, other)
  await deps.clock.advance(deps.pace.parkingMs)
  served.add(content.pieceCid)
  await park()
  expect(deps.scheduled).toEqual([`commit ${dataSet.id}`, `pull ${other.id}`, `end stores ${content.contentId}`])
})

test('a content with fewer copies than its target keeps its store task', async () => {
  const content = await upload(2)
  await deps.clock.advance(deps.pace.parkingMs)
  served.add(content.pieceCid)
  await park()
  expect(await states(content)).toEqual(['parked'])
  expect(deps.scheduled).toEqual([`commit ${dataSet.id}`, 'end stores ', `store ${content.contentId}`])
})

test('an upload that the provider has just received is looked up later', async () => {
  const content = await upload()
  served.add(content.pieceCid)
  expect(waitOf(await park(), deps.clock).reason).toBe('provider_storing')
  expect(lookedUp).toEqual([])
})

test('I-25: a copy that is uploaded again during the lookup is not parked', async () => {
  const content = await upload()
  await deps.clock.advance(deps.pace.parkingMs)
  answer(async () => {
    await rows.database.write(async (tx) => {
      const copy = { ids: [content.copyId], batchId: null }
      await deps.states.copies.apply(tx, 'upload_failed', copy, { code: 'interrupted', message: '' })
      await deps.states.copies.apply(tx, 'upload_begun', copy)
    })
    return ok({ isFound: true })
  })
  expect(await park()).toEqual({ kind: 'done' })
  expect(await states(content)).toEqual(['transferring'])
  expect(deps.scheduled).toEqual([])
})

test('a provider that does not answer gets a few lookups only, and is asked again later', async () => {
  for (let n = 0; n < 10; n++) await upload()
  await deps.clock.advance(deps.pace.parkingMs)
  answer(async () => notSent({ reason: 'unreachable', step: 'connect', detail: 'refused' }))
  expect(waitOf(await park(), deps.clock)).toEqual({ reason: 'provider', forMs: deps.pace.providerMs })
  expect(lookedUp.length).toBeLessThan(8)
})

test('after the parking limit the upload is left to its store task', async () => {
  await upload()
  await deps.clock.advance(deps.pace.parkingLimitMs + 1)
  expect(await park()).toEqual({ kind: 'done' })
  expect(lookedUp).toEqual([])
})

test('I-25: a copy that is parked during the last lookup of its store task stays parked', async () => {
  const content = await upload()
  await deps.clock.advance(deps.pace.parkingLimitMs + 1)
  answer(async () => {
    await parkCopies(deps, [content.copyId])
    return ok({ isFound: false })
  })
  expect(waitOf(await storeContent(deps, content.contentId, signal), deps.clock)).toEqual({ reason: 'retry', forMs: 0 })
  expect(await states(content)).toEqual(['parked'])
  expect(await storeContent(deps, content.contentId, signal)).toEqual({ kind: 'done' })
})
