import { expect, test } from 'vitest'
import { openRemovalScene } from '../testing/removal-scene.ts'
import { recoverRemovals } from './recover-removals.ts'

const hourMs = 3_600_000

async function openFailed() {
  const removal = await openRemovalScene(1)
  const { scene, clock, run } = removal
  scene.sender = { pooled: 6, final: 5 }
  await run(1)
  await clock.advance(hourMs)
  await run(1)
  await clock.advance(24 * hourMs)
  expect(await run(1)).toMatchObject({ kind: 'fail', code: 'removal_unconfirmed' })
  return removal
}

const recover = async ({ storage }: Awaited<ReturnType<typeof openFailed>>, unended: readonly number[]) => {
  const cleanups: number[] = []
  await recoverRemovals({
    database: storage.database,
    queue: { unendedIds: async () => new Set(unended) },
    schedule: { cleanup: async (_tx, dataSetId) => cleanups.push(dataSetId) },
  })
  return cleanups
}

test('a removal whose failed task was dismissed and deleted fails again in another task, whose retry requests it', async () => {
  await using removal = await openFailed()
  expect(await recover(removal, [])).toEqual([1])
  expect(await removal.run(2)).toMatchObject({ kind: 'fail', code: 'removal_unconfirmed', retryable: true })
  expect(removal.scene.requests).toHaveLength(1)
  expect(await removal.run(2)).toMatchObject({ kind: 'wait', reason: 'confirmation' })
  expect(removal.scene.requests).toHaveLength(2)
})

test('I-05: a removal whose failed task is still recorded waits for the retry of that task', async () => {
  await using removal = await openFailed()
  expect(await recover(removal, [1])).toEqual([])
  expect(await removal.run(2)).toEqual({ kind: 'done' })
  expect(removal.scene.requests).toHaveLength(1)
})

test('a withheld removal whose failed task was deleted is checked again by another task', async () => {
  await using removal = await openRemovalScene(1)
  removal.scene.cids.set(0n, 'another piece')
  expect(await removal.run(1)).toMatchObject({ kind: 'fail', code: 'removal_withheld' })
  expect(await recover(removal, [])).toEqual([1])
  removal.scene.cids.clear()
  await removal.run(2)
  expect(removal.scene.requests).toEqual([[0n]])
})
