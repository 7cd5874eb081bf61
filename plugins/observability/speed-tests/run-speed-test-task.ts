import { clock, database, defineEvent, defineProbe, defineTask, done, events, fail, type Outcome, optional, within } from '#kernel'
import { type } from '#kernel/schema'
import { type ProviderClient, providers } from '#plugins/providers'
import { describeSpeedTest, interrupted, sampleBytes } from './describe-speed-test-policy.ts'
import { randomBody } from './random-body.ts'
import type { UploadSpeedTest } from './speed-test-api.ts'
import { beginTest, findSpeedTest, recordFailure, recordSuccess } from './speed-test-store.ts'

/** Longest time of a test, from the request for a session to the answer. It shares the bandwidth with uploads of objects. */
export const testMsMax = 120_000

const began = defineProbe('observability.speed-test.began')
const uploaded = defineProbe('observability.speed-test.uploaded')

export const speedTestUpdated = defineEvent<{ readonly provider_id: string; readonly upload_speed_test: UploadSpeedTest }>(
  'provider_speed_test_updated',
)

/** Sends random bytes to a provider, which become no piece: nothing is stored for long, and nothing is paid. */
export const speedTestTask = defineTask({
  kind: 'provider_speed_test',
  label: 'Test provider upload speed',
  retry: false,
  args: type({ providerId: 'string', serviceUrl: 'string' }),
  uses: { providers: optional(providers), database, clock, events },
  subject: ({ providerId }) => ({ type: 'provider', key: providerId }),
  async run({ id, args: { providerId, serviceUrl }, services, signal, fence }) {
    const { providers, clock, events } = services
    const database = fence(services.database)
    const key = { providerId, taskId: id }

    async function end(code: string, message: string): Promise<Outcome> {
      await database.write((tx) => recordFailure(tx, key, code))
      await publish()
      return fail(`speed_test_${code}`, message, { retryable: false })
    }
    async function publish(): Promise<void> {
      const test = await findSpeedTest(database.read, providerId)
      if (test)
        events.publish(speedTestUpdated, {
          provider_id: providerId,
          upload_speed_test: describeSpeedTest(test, { serviceUrl, isTesting: true }),
        })
    }

    if (!(await database.write((tx) => beginTest(tx, key, clock.now())))) {
      const test = await findSpeedTest(database.read, providerId)
      // The process stopped after the result was recorded.
      if (test?.taskId === id && test.state === 'succeeded') return done()
      return end(test?.failureCode ?? interrupted, 'the service stopped during the test; start another one')
    }
    await began()
    if (providers === undefined) return end('plugin_disabled', 'the plugin providers, which has the clients of providers, is disabled')
    await publish()
    const result = await upload(providers.client(serviceUrl), signal, clock)
    if (result.kind === 'failed') return end(result.code, result.message)
    await uploaded()
    const durationMs = Math.max(1, Math.round(result.ms))
    const bytesPerSecond = Math.round((sampleBytes / durationMs) * 1000)
    await database.write((tx) =>
      recordSuccess(tx, { ...key, serviceUrl, sampleBytes, durationMs, bytesPerSecond, testedAtMs: clock.now() }),
    )
    await publish()
    return done()
  },
})

type Result = { readonly kind: 'ok'; readonly ms: number } | { readonly kind: 'failed'; readonly code: string; readonly message: string }

async function upload(client: ProviderClient, signal: AbortSignal, clock: Parameters<typeof within>[3]): Promise<Result> {
  const late = new AbortController()
  let startedAtMs = performance.now()
  const body = randomBody(sampleBytes, () => {
    startedAtMs = performance.now()
  })
  const sending = client.uploadOnly({ body, signal: AbortSignal.any([signal, late.signal]) })
  const message = `the provider did not take ${sampleBytes} bytes within ${testMsMax / 1000} s`
  const answer = await within(testMsMax, sending, () => late.abort(new Error(message)), clock)
  if (answer === undefined) return { kind: 'failed', code: 'timeout', message }
  if (answer.kind === 'ok') return { kind: 'ok', ms: performance.now() - startedAtMs }
  if (signal.aborted) return { kind: 'failed', code: interrupted, message: 'the service stopped during the test; start another one' }
  const { reason, detail } = answer.cause
  return { kind: 'failed', code: reason, message: `the provider did not take the upload (${reason}): ${detail}` }
}
