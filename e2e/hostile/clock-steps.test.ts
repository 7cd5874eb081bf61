import { expect, test } from 'vitest'
import { checkDatabase } from '../fixtures/check-database.ts'
import { startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import { startProcessStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'
import { findDuplicateAdds, waitForCopies } from '../fixtures/verify-copies.ts'

const hoursMs = 5 * 3_600_000
/** Just below the allowed clock skew of a signature (15 minutes). */
const minutesMs = 14 * 60_000
/** Much shorter than the step, much longer than the pipeline needs. */
const soonMs = 90_000

/** Starts with one object whose commit is open: the provider broadcast it, but its answer was lost. */
async function startWithOpenCommit(clock: { readonly offsetMs: number; readonly stepMs: number }) {
  const stage = await startProcessStage({ providers: 2, copies: 2, clock })
  const first = await stage.put()
  await stage.stored(first)
  for (const { faults } of stage.network.devnet.providers) faults.add({ kind: 'drop_answer', routes: ['pieces_add'], count: 1 })
  const object = await stage.put()
  const { providers } = stage.network.devnet
  await until('a lost answer', async () => providers.some(({ faults }) => faults.list().length === 0) || undefined, { everyMs: 20 })
  return { stage, first, object }
}

test.concurrent.for([
  ['back', -hoursMs],
  ['forward', hoursMs],
] as const)('a clock that steps %s during an open commit neither delays nor repeats it', { timeout: 180_000 }, async ([, stepMs]) => {
  const { stage, first, object } = await startWithOpenCommit({ offsetMs: 0, stepMs })
  await using _ = stage
  stage.gateway.stepClock()
  await waitForCopies(stage.gateway, { bucket: 'stage', versionId: object.versionId }, { copies: 2, withinMs: soonMs })
  expect(await stage.settle([first, object])).toEqual([])
})

test.concurrent('a clock that stepped back while the service was down delays no commit', { timeout: 180_000 }, async () => {
  const { stage, object } = await startWithOpenCommit({ offsetMs: minutesMs, stepMs: 0 })
  await using _ = stage
  await stage.gateway.kill()
  const { devnet, privateKey } = stage.network
  await using gateway = await startGatewayHere({ dir: stage.dir, devnet, privateKey })
  await waitForCopies(gateway, { bucket: 'stage', versionId: object.versionId }, { copies: 2, withinMs: soonMs })
  await gateway.stop()
  expect([...(await findDuplicateAdds(devnet)), ...(await checkDatabase(stage.dir, devnet))]).toEqual([])
})
