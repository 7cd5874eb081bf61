/** A speed test whose process is killed: its row ends in a truthful state after the restart, and one test at a time still holds. */
import { expect, test } from 'vitest'
import type { SimulatedProvider } from '../../devnet/provider/provider.ts'
import { listProviders, startSpeedTest } from '../../plugins/observability/api.ts'
import { answerOf, refusalOf } from '../fixtures/admin-answers.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { restartStage, startProcessStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'

const path = '/api/v1/observability/providers'
const startTest = (gateway: Gateway, { providerId }: SimulatedProvider) => gateway.call('POST', `${path}/${providerId}/upload-speed-test`)

const shown = async (gateway: Gateway, { providerId }: SimulatedProvider) =>
  answerOf(listProviders, await gateway.call('GET', `${path}?provider_id=${providerId}`)).items[0]?.upload_speed_test

const ended = (gateway: Gateway, provider: SimulatedProvider) =>
  until('the end of the test', async () => {
    const result = await shown(gateway, provider)
    return result?.state === 'testing' ? undefined : result
  })

test.each(['observability.speed-test.began', 'observability.speed-test.uploaded', 'during the upload'])(
  'a speed test killed at %s has failed as interrupted after the restart, uploads nothing again, and the next one runs alone',
  { timeout: 120_000 },
  async (place) => {
    const isProbe = place.startsWith('observability.')
    await using stage = await startProcessStage({ providers: 2, copies: 1, ...(isProbe && { killAt: place }) })
    const [first, second] = stage.network.devnet.providers as readonly [SimulatedProvider, SimulatedProvider]
    await stage.gateway.call('POST', `${path}/refresh`)
    if (!isProbe) first.faults.add({ kind: 'hang', routes: ['upload_put'] })
    answerOf(startSpeedTest, await startTest(stage.gateway, first))
    if (!isProbe) {
      await until('the upload', async () => first.counters.requests.upload_put > 0 || undefined)
      await stage.gateway.kill()
    }
    expect(await stage.gateway.ended).toBe('SIGKILL')
    first.faults.clear()
    const uploads = first.counters.requests.upload_put
    await using again = await restartStage(stage)
    expect(await ended(again.gateway, first)).toEqual({ state: 'failed', sample_bytes: 33_554_432, failure_code: 'interrupted' })
    expect(first.counters.requests.upload_put).toBe(uploads)
    await again.gateway.call('POST', `${path}/refresh`)
    second.faults.add({ kind: 'hang', routes: ['upload_create'] })
    answerOf(startSpeedTest, await startTest(again.gateway, second))
    expect(refusalOf(await startTest(again.gateway, first))).toEqual([409, 'speed_test_running'])
    second.faults.clear()
    await ended(again.gateway, second)
    answerOf(startSpeedTest, await startTest(again.gateway, first))
    expect(await ended(again.gateway, first)).toMatchObject({ state: 'succeeded', bytes_per_second: expect.any(Number) })
  },
)
