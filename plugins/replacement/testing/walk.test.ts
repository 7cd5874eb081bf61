/**
 * Random walks of replacements. To run more: `SVC_WALK_STEPS=1000000 npm test -- plugins/replacement/testing/walk.test.ts`; SVC_WALK_SEED repeats
 * the seed that a failure names.
 */
import { expect, test } from 'vitest'
import { stateOfColumns } from '../states/replacement-transitions-policy.ts'
import { beginWalk, dataSetsOf, heal, openRecords, takeStep } from './walk.ts'

const steps = Number(process.env.SVC_WALK_STEPS ?? 1200)
const firstSeed = Number(process.env.SVC_WALK_SEED ?? 1)
const stepsPerWalk = 45

type Walk = Awaited<ReturnType<typeof beginWalk>>

const knownStates = [
  'preparing_target',
  'migrating',
  'retiring',
  'waiting.prepare',
  'waiting.migrate',
  'waiting.retire',
  'failed.prepare',
  'failed.migrate',
  'cleanup_attention',
  'completed',
  'superseded',
]

const visited = new Set<string>()

/** What always holds. */
async function expectSound(walk: Walk, at: string): Promise<void> {
  const { scene } = walk
  const read = scene.rows.database.read
  const all = await scene.service.list({ limit: 100 })
  const open = await openRecords(walk)
  expect(open.length, at).toBeLessThanOrEqual(1)
  const [slot] = await scene.slots.list(read, 1)
  for (const one of all) {
    visited.add(stateOfColumns(one))
    expect(knownStates, at).toContain(stateOfColumns(one))
    expect([one.waitReason !== null, one.lastError !== null], at).toEqual([
      one.status === 'waiting',
      one.status === 'failed' || one.status === 'cleanup_attention',
    ])
  }
  for (const one of open) {
    // I-48: uploads go to the source before the takeover, and to the target after it.
    if (one.phase === 'prepare' && one.status !== 'failed') expect(slot?.currentId, at).toBe(one.sourceId)
    if (one.phase === 'migrate' || one.phase === 'retire') expect(slot?.currentId, at).toBe(one.targetId)
    const { total, byState } = await scene.progress(one.id)
    expect(
      Object.values(byState).reduce((sum, n) => sum + n, 0),
      at,
    ).toBe(total)
  }
  // No service that was the one of the slot is asked to end before its contents are on its successor.
  for (const { id, state, endCause } of await dataSetsOf(walk))
    if (endCause === 'replaced' && state === 'retired')
      expect(
        open.some(({ sourceId, phase }) => sourceId === id && phase !== 'retire'),
        at,
      ).toBe(false)
}

test('each walk through faults, kills, retries and later confirmations is sound, and ends when the network works again', {
  timeout: 24 * 3_600_000,
}, async () => {
  for (let seed = firstSeed, taken = 0; taken < steps; seed++) {
    const walk = await beginWalk(seed)
    try {
      for (let n = 0; n < stepsPerWalk && taken < steps; n++, taken++) {
        const name = await takeStep(walk)
        await expectSound(walk, `SVC_WALK_SEED=${seed}, after ${n + 1} steps: ${name}`)
      }
      expect(await heal(walk), `SVC_WALK_SEED=${seed}: still open`).toEqual([])
      for (const one of await walk.scene.service.list({ limit: 100 })) visited.add(stateOfColumns(one))
      const services = (await dataSetsOf(walk)).filter(({ state }) => !['retired', 'abandoned'].includes(state))
      expect(services.length, `SVC_WALK_SEED=${seed}: services of the slot`).toBe(1)
    } finally {
      await walk.scene[Symbol.asyncDispose]()
    }
  }
  expect([...visited].toSorted(), 'the states that the walks visited').toEqual(knownStates.toSorted())
})
