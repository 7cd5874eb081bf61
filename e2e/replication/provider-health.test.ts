/** The health of providers on a real chain: faults appear within one interval, and a speed test stores and pays nothing. */
import { expect, test } from 'vitest'
import type { SimulatedProvider } from '../../devnet/provider/provider.ts'
import type { ProviderHealth } from '../../plugins/observability/api.ts'
import { chainReadiness } from '../../plugins/wallet/api.ts'
import { answerOf } from '../fixtures/admin-answers.ts'
import { type Stage, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'

const intervalMs = 1000
const settings = { 'chain.observability.interval': `${intervalMs}ms`, 'chain.observability.timeout': '300ms' }
const path = '/api/v1/observability/providers'

async function shown(stage: Stage, { providerId }: SimulatedProvider): Promise<ProviderHealth> {
  const { json } = await stage.gateway.call('GET', `${path}?provider_id=${providerId}`)
  return json.items[0]
}

const becomes = (stage: Stage, provider: SimulatedProvider, status: string) =>
  until(
    `provider ${provider.providerId} is ${status}`,
    async () => ((await shown(stage, provider))?.signal.status === status ? true : undefined),
    {
      everyMs: 50,
    },
  )

const readiness = async (stage: Stage) =>
  answerOf(chainReadiness, await stage.gateway.call('GET', '/api/v1/chain/readiness')).checks.find(({ id }) => id === 'providers')

test('a gateway whose providers are dark is not ready: readiness names the reason and the next step', { timeout: 120_000 }, async () => {
  await using stage = await startStage({ providers: 4, copies: 2, settings })
  await stage.stored(await stage.put())
  const inUse = await stage.providers()
  const others = stage.network.devnet.providers.filter((provider) => !inUse.includes(provider))
  const says = (what: string) =>
    until(`readiness says ${what}`, async () => {
      const check = await readiness(stage)
      return check?.message.includes(what) ? check : undefined
    })
  expect(await says('4 approved providers are usable')).toMatchObject({ status: 'ready' })
  inUse[0]?.faults.add({ kind: 'dark' })
  expect(await says('1 of 2 providers with data sets of this service do not answer')).toMatchObject({ status: 'warning' })
  inUse[1]?.faults.add({ kind: 'dark' })
  expect(await says('None of the 2 providers with data sets of this service answers')).toMatchObject({
    status: 'blocked',
    action: expect.stringContaining('svc admin provider list --status unavailable'),
  })
  for (const { faults } of inUse) faults.clear()
  for (const { faults } of [...others, inUse[0]].filter((one) => one !== undefined)) faults.add({ kind: 'dark' })
  expect(await says('1 of 4 approved providers answer; the default is')).toMatchObject({ status: 'blocked' })
  for (const { faults } of stage.network.devnet.providers) faults.clear()
  expect(await says('4 approved providers are usable')).toMatchObject({ status: 'ready' })
})

test('a provider that goes dark, hangs and comes back is in the list with its reason within one interval; a speed test stores nothing', {
  timeout: 120_000,
}, async () => {
  await using stage = await startStage({ providers: 3, copies: 2, settings })
  const object = await stage.put(Buffer.alloc(400_000, 'x'))
  await stage.stored(object)
  const [provider] = (await stage.providers()) as [SimulatedProvider]
  await becomes(stage, provider, 'available')

  for (const [kind, reason] of [
    ['dark', 'unreachable'],
    ['hang', 'timeout'],
  ] as const) {
    const fault = provider.faults.add({ kind })
    const startedAtMs = performance.now()
    await becomes(stage, provider, 'unavailable')
    // An interval, the time limit of a ping, and the machine.
    expect(performance.now() - startedAtMs).toBeLessThan(10 * intervalMs)
    const { signal } = await shown(stage, provider)
    expect([signal.level, ...signal.reason_codes, signal.last_error]).toEqual([
      'blocking',
      'provider_http_unreachable',
      `the ping failed: ${reason}`,
    ])
    expect((await stage.gateway.call('POST', `${path}/${provider.providerId}/upload-speed-test`)).json).toMatchObject({
      code: 'speed_test_provider_ineligible',
    })
    const { json: overview } = await stage.gateway.call('GET', '/api/v1/overview')
    expect(overview.chain_storage_health).toMatchObject({
      level: 'blocking',
      providers: { summary: { total: 3, available: 2, unavailable: 1 } },
    })
    provider.faults.clear(fault)
    await becomes(stage, provider, 'available')
  }

  const { counters } = provider
  const before = { ...counters }
  const { status } = await stage.gateway.call('POST', `${path}/${provider.providerId}/upload-speed-test`)
  expect(status).toBe(202)
  const tested = await until('the result of the speed test', async () => {
    const { upload_speed_test } = await shown(stage, provider)
    return upload_speed_test?.state === 'testing' ? undefined : upload_speed_test
  })
  expect(tested).toMatchObject({ state: 'succeeded', sample_bytes: 32 * 1024 * 1024 })
  expect(counters).toMatchObject({ addPiecesTransactions: before.addPiecesTransactions, createTransactions: before.createTransactions })

  const { json: bucket } = await stage.gateway.call('GET', '/api/v1/buckets/stage')
  for (const { chosen_because } of bucket.data_sets)
    expect(chosen_because).toEqual({ reason: expect.any(String), detail: expect.any(String) })
  const { scorecard } = await shown(stage, provider)
  expect(scorecard?.upload?.calls ?? 0).toBeGreaterThan(0)
  expect(await stage.settle([object])).toEqual([])
})
