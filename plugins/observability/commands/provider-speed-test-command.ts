import { setTimeout as sleep } from 'node:timers/promises'
import { type AdminCall, type AdminClient, formatFacts, formatSize, openAdminClient, usageError, watchInterrupt } from '#cli'
import { CommandError } from '#kernel'
import { listProviders } from '../providers/provider-api.ts'
import { startSpeedTest, type UploadSpeedTest } from '../speed-tests/speed-test-api.ts'

const pollMs = 500

export async function run(call: AdminCall<{ id: string }, { wait: boolean }>): Promise<number> {
  const { out } = call
  const { id } = call.parameters
  if (!/^\d{1,78}$/.test(id)) throw usageError(`'${id}' is not the id of a provider: svc admin provider list shows the ids`)
  const client = await openAdminClient(call)
  const started = await client.call(startSpeedTest, { params: { provider_id: id } })
  if (!call.flags.wait) {
    out.result(started, `Task ${started.task_id} tests provider ${id}; svc admin provider list --provider ${id} shows the result`)
    return 0
  }
  const result = await waitForResult(client, id, out.progress)
  out.result({ ...started, state: result.state, upload_speed_test: result }, showResult(result))
  return result.state === 'succeeded' ? 0 : 1
}

async function waitForResult(client: AdminClient, id: string, progress: ((line: string) => void) | undefined): Promise<UploadSpeedTest> {
  using interrupt = watchInterrupt()
  const startedAtMs = performance.now()
  while (!interrupt.signal.aborted) {
    const { items } = await client.call(listProviders, { query: { provider_id: id } })
    const test = items[0]?.upload_speed_test
    if (test === undefined) throw new CommandError(`provider ${id} left the registry during the test`)
    if (test.state !== 'testing') {
      progress?.('')
      return test
    }
    progress?.(`Uploading 32 MiB to provider ${id}: ${Math.round((performance.now() - startedAtMs) / 1000)} s`)
    await sleep(pollMs, undefined, { signal: interrupt.signal }).catch(() => undefined)
  }
  progress?.('')
  throw new CommandError(`the test goes on; svc admin provider list --provider ${id} shows its result`)
}

function showResult(test: UploadSpeedTest): string {
  const { state, bytes_per_second, duration_ms, sample_bytes, tested_at, failure_code } = test
  if (state === 'failed') return `The test failed: ${failure_code}`
  return formatFacts([
    ['Result', state],
    ['Speed', bytes_per_second === undefined ? undefined : `${formatSize(bytes_per_second)}/s`],
    ['Duration', duration_ms === undefined ? undefined : `${duration_ms} ms`],
    ['Sample', formatSize(sample_bytes)],
    ['Tested', tested_at],
  ])
}
