import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Stage, type StoredObject, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'

const objectsCount = 500
const putsAtOnce = 16
/** The smallest piece. */
const objectBytes = 127

async function putMany(stage: Stage): Promise<readonly StoredObject[]> {
  const objects: StoredObject[] = []
  const work = async () => {
    while (objects.length + putsAtOnce <= objectsCount) objects.push(await stage.put(randomBytes(objectBytes)))
  }
  await Promise.all(Array.from({ length: putsAtOnce }, work))
  return objects
}

/** Provider ids of each object's committed copies; waits until each object has at least `copies` of them. */
async function committedAt(stage: Stage, objects: readonly StoredObject[], copies: number): Promise<readonly (readonly string[])[]> {
  const found: string[][] = []
  for (const object of objects) {
    const committed = await until(
      `${copies} committed copies of ${object.key}`,
      async () => {
        const ids = (await stage.copies(object)).filter(({ status }) => status === 'committed').map((copy) => copy.provider_id)
        return ids.length >= copies ? ids : undefined
      },
      { withinMs: 120_000 },
    )
    found.push(committed)
  }
  return found
}

test('I-32: a provider that accepts connections and never answers does not delay the others, and gets its copies after it recovers', {
  timeout: 300_000,
}, async () => {
  await using stage = await startStage({ providers: 3, copies: 3 })
  // The first provider would receive every upload once its data sets exist.
  await stage.stored(await stage.put())
  const [hanging] = await stage.providers()
  if (!hanging) throw new Error('the bucket has no provider')
  hanging.faults.add({ kind: 'hang' })
  const objects = await putMany(stage)
  const others = await committedAt(stage, objects, 2)
  const hangingId = String(hanging.providerId)
  expect(others.filter((ids) => ids.includes(hangingId))).toEqual([])
  // I-08: the open tasks wait for the provider and use no attempt.
  expect((await stage.tasks()).filter(({ status, retry_count }) => status === 'failed' || retry_count > 0)).toEqual([])
  hanging.faults.clear()
  const all = await committedAt(stage, objects, 3)
  expect(all.filter((ids) => !ids.includes(hangingId))).toEqual([])
  expect(await stage.settle(objects.slice(0, 5))).toEqual([])
})
