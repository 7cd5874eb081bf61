import { expect, test } from 'vitest'
import { watchProbes } from '#kernel/testing'
import { readRows } from '../fixtures/gateways/gateway-database.ts'
import { createAdvancingClock } from '../fixtures/gateways/serve-here.ts'
import { startStage } from '../fixtures/gateways/stage.ts'
import { completes, confirm, generationsOf, reaches, withReplacements } from './scene.ts'

const scenario = (name: string, run: () => Promise<void>) => test(name, { timeout: 300_000 }, run)
const hourMs = 3_600_000

scenario('an old provider that does not answer: the payer ends its service on chain', async () => {
  const clock = createAdvancingClock()
  await using stage = await startStage({ providers: 4, copies: 2, settings: withReplacements, clock })
  const object = await stage.put()
  await stage.stored(object)
  const [source] = await generationsOf(stage)
  const old = stage.network.devnet.providers.find(({ providerId }) => String(providerId) === source?.providerId)
  old?.faults.add({ kind: 'dark' })
  const confirmed = await confirm(stage)
  await reaches(stage, confirmed, ({ phase, waitReason }) => phase === 'retire' && waitReason === 'retirement')
  clock.advance(25 * hourMs)
  const done = await completes(stage, confirmed)
  expect(Number(done.terminationEpoch)).toBeGreaterThan(0)
  expect(readRows(stage.dir, 'select type, status from wallet_operations')).toEqual([{ type: 'terminate', status: 'confirmed' }])
  expect((await stage.stored(object)).copies.map(({ provider_id }) => provider_id)).toContain(confirmed.providerId)
})

scenario(
  'waiting_consumes_no_attempts: a new provider is down for six hours after the takeover, and the replacement finishes without an attempt',
  async () => {
    const clock = createAdvancingClock()
    await using stage = await startStage({ providers: 4, copies: 2, settings: withReplacements, clock })
    const object = await stage.put()
    await stage.stored(object)
    using probes = watchProbes()
    using held = probes.holdAt('replacement.taken_over')
    const confirmed = await confirm(stage)
    await held.reached
    const target = stage.network.devnet.providers.find(({ providerId }) => String(providerId) === confirmed.providerId)
    target?.faults.add({ kind: 'dark' })
    held.release()
    await reaches(stage, confirmed, ({ status, waitReason }) => status === 'waiting' && waitReason === 'target')
    for (let hour = 0; hour < 6; hour++) clock.advance(hourMs)
    const attempts = () =>
      readRows<{ n: number }>(stage.dir, `select max(attempts) as n from tasks where kind = 'storage_replacement'`)[0]?.n
    const waiting = await reaches(stage, confirmed, ({ status }) => status === 'waiting')
    expect(waiting).toMatchObject({ lastError: null, failureReason: null })
    expect(attempts()).toBe(0)
    target?.faults.clear()
    clock.advance(hourMs)
    await completes(stage, confirmed)
    expect(attempts()).toBe(0)
    expect(await stage.settle([object])).toEqual([])
  },
)
