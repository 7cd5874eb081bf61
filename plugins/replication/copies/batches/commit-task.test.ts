import { expect, test } from 'vitest'
import type { Database, TaskRun } from '#kernel'
import { LeaseLost, silentLog } from '#kernel/testing'
import { ok } from '../../../providers/testing/index.ts'
import { replicationDueTimes } from '../../attach/due-times-store.ts'
import type { pipeline } from '../../pipeline.ts'
import { openBatches } from '../../testing/open-batches.ts'
import { openStorageRows } from '../../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline } from '../../testing/test-pipeline.ts'
import { commitTask } from './commit-task.ts'

const hash = `0x${'ab'.repeat(32)}` as const
const hourMs = 3_600_000

/** A data set with one parked piece whose batching window has passed, and a lease that can be lost. */
async function openScene() {
  const rows = await openStorageRows()
  const deps = createTestPipeline(rows)
  const dataSet = await rows.addDataSet()
  await rows.addCopy(await rows.addContent(), dataSet, 'parked')
  await deps.clock.advance(deps.pace.batchingWindowMs)
  let isLost = false
  let additions = 0
  const fence = (database: Database): Database => ({
    ...database,
    write: (job) => (isLost ? Promise.reject(new LeaseLost({ id: 1, kind: 'storage_commit', seq: 1 })) : database.write(job)),
  })
  const run = { id: 1, args: { dataSetId: dataSet.id }, services: { pipeline: deps as TestPipeline }, log: silentLog, fence }
  const commit = commitTask.run as unknown as (run: TaskRun<object, { pipeline: typeof pipeline }>) => Promise<unknown>
  deps.world.client = {
    addPieces: async () => {
      additions += 1
      return ok({ txHash: hash })
    },
    additionStatus: async () => ok({ state: 'pending' }),
    findPiece: async () => ok({ isFound: true }),
  }
  return {
    deps,
    dataSet,
    rows,
    additions: () => additions,
    loseLease: () => {
      isLost = true
    },
    regainLease: () => {
      isLost = false
    },
    commit: () =>
      commit({
        ...run,
        attempts: 0,
        nowMs: deps.clock.now(),
        signal: new AbortController().signal,
        progressed: deps.progressed,
      } as never),
    batches: () => openBatches(rows.database.read, dataSet.id),
    [Symbol.asyncDispose]: () => rows[Symbol.asyncDispose](),
  }
}

test('I-06: a commit whose lease is lost during the paid call records nothing, and the next run looks it up', async () => {
  await using scene = await openScene()
  const { world } = scene.deps
  const { addPieces } = world.client
  world.client.addPieces = (...call) => {
    scene.loseLease()
    return (addPieces as NonNullable<typeof addPieces>)(...call)
  }
  await expect(scene.commit()).rejects.toBeInstanceOf(LeaseLost)
  expect(await scene.batches()).toMatchObject([{ state: 'submitting', txHash: null }])
  scene.regainLease()
  world.nonce = { landed: true, dataSetId: scene.dataSet.chainId ?? 0n, nextPieceId: 1n }
  await scene.commit()
  expect(scene.additions()).toBe(1)
  expect(await scene.batches()).toEqual([])
})

test('I-06: a commit that has lost its lease before the paid call makes no call', async () => {
  await using scene = await openScene()
  scene.loseLease()
  await expect(scene.commit()).rejects.toBeInstanceOf(LeaseLost)
  expect(scene.additions()).toBe(0)
})

test('a confirmed batch is progress of its task', async () => {
  await using scene = await openScene()
  await scene.commit()
  expect(scene.deps.world.progress).toBe(0)
  scene.deps.world.nonce = { landed: true, dataSetId: scene.dataSet.chainId ?? 0n, nextPieceId: 1n }
  await scene.deps.clock.advance(hourMs)
  await scene.commit()
  expect(scene.deps.world.progress).toBe(1)
})

test('after the clock steps back an open commit is looked up at once', async () => {
  await using scene = await openScene()
  const { clock, world } = scene.deps
  await clock.advance(10 * hourMs)
  await scene.commit()
  expect(await scene.batches()).toMatchObject([{ state: 'submitted' }])
  const before = clock.now
  clock.now = () => before() - 10 * hourMs
  await scene.rows.database.write((tx) => replicationDueTimes.bound(tx, clock.now()))
  world.nonce = { landed: true, dataSetId: scene.dataSet.chainId ?? 0n, nextPieceId: 1n }
  await scene.commit()
  expect(await scene.batches()).toEqual([])
})
