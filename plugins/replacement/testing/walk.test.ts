/**
 * Random walks of replacements. To run more, with the databases in memory:
 * `TMPDIR=/dev/shm SVC_WALK_STEPS=1000000 npm test -- plugins/replacement/testing/walk.test.ts`; SVC_WALK_SEED repeats the seed that a failure
 * names.
 */
import { expect, test } from 'vitest'
import { beginWalk, dataSetsOf, heal, takeStep } from './walk.ts'
import { findUnsound, knownStates } from './walk-invariants.ts'

const steps = Number(process.env.SVC_WALK_STEPS ?? 1200)
const firstSeed = Number(process.env.SVC_WALK_SEED ?? 1)
const stepsPerWalk = 45
const stepsPerNote = 50_000

test('each walk through faults, kills, retries and later confirmations is sound, and ends when the network works again', {
  timeout: 24 * 3_600_000,
}, async () => {
  const visited = new Set<string>()
  for (let seed = firstSeed, taken = 0; taken < steps; seed++) {
    const walk = await beginWalk(seed)
    async function check(at: string): Promise<void> {
      const { problems, states } = await findUnsound(walk)
      for (const state of states) visited.add(state)
      if (problems.length > 0) expect(problems, `SVC_WALK_SEED=${seed}, ${at}`).toEqual([])
    }
    try {
      for (let n = 0; n < stepsPerWalk && taken < steps; n++, taken++) {
        const name = await takeStep(walk)
        await check(`after ${n + 1} steps: ${name}`)
        if (taken % stepsPerNote === stepsPerNote - 1) process.stderr.write(`${taken + 1} steps are sound, to seed ${seed}\n`)
      }
      const open = await heal(walk)
      if (open.length > 0) expect(open, `SVC_WALK_SEED=${seed}: still open`).toEqual([])
      await check('when the network works again')
      const services = (await dataSetsOf(walk)).filter(({ state }) => !['retired', 'abandoned'].includes(state))
      if (services.length !== 1) expect(services.length, `SVC_WALK_SEED=${seed}: services of the slot`).toBe(1)
    } finally {
      await walk.scene[Symbol.asyncDispose]()
    }
  }
  expect([...visited].toSorted(), 'the states that the walks visited').toEqual(knownStates.toSorted())
})

test('a check that finds something says what', async () => {
  const walk = await beginWalk(1)
  await using _scene = walk.scene
  expect((await findUnsound(walk)).problems).toEqual([])
  await walk.scene.sql("insert into replacement_counts (replacement_id, state, n) select id, 'attention', 1 from replacements")
  await walk.scene.sql("update replacements set wait_reason = 'funding', last_error = 'why'")
  const { problems } = await findUnsound(walk)
  expect(problems).toContain('migrating has the wait reason funding')
  expect(problems).toContain('migrating has the error why')
  expect(problems.some((problem) => problem.startsWith('the counts differ from the items'))).toBe(true)
})
