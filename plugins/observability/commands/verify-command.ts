import { setTimeout as sleep } from 'node:timers/promises'
import { type AdminCall, type AdminClient, formatSize, openAdminClient, usageError, watchInterrupt } from '#cli'
import { CommandError } from '#kernel'
import { type Samples, showSamples, startSamples } from '../samples/sample-api.ts'

type SampleRun = NonNullable<Samples['run']>

const pollMs = 500

export async function run(call: AdminCall<unknown, { readonly sample: string | undefined; readonly wait: boolean }>): Promise<number> {
  const { out, flags } = call
  const share = readShare(flags.sample ?? '1%')
  const client = await openAdminClient(call)
  const started = await client.call(startSamples, { body: { share } })
  if (!flags.wait) {
    out.result(started, `Task ${started.task_id} checks about ${started.planned} copies; svc admin task show ${started.task_id} follows it`)
    return 0
  }
  const ended = await waitForEnd(client, started.task_id, out.progress)
  out.result(ended, describe(ended))
  return ended.state === 'completed' && ended.missing + ended.wrong_bytes === 0 ? 0 : 1
}

function readShare(text: string): number {
  const [, percent] = /^(\d{1,3}(?:\.\d{1,4})?)%$/.exec(text) ?? []
  const share = Number(percent) / 100
  if (!(share > 0 && share <= 1)) throw usageError(`--sample is a share of the copies such as 1% or 0.25%, at most 100%; it was "${text}"`)
  return share
}

async function waitForEnd(client: AdminClient, taskId: number, progress: ((line: string) => void) | undefined): Promise<SampleRun> {
  using interrupt = watchInterrupt()
  while (!interrupt.signal.aborted) {
    const { run } = await client.call(showSamples)
    if (run?.task_id !== taskId) throw new CommandError(`another check replaced task ${taskId}`)
    if (run.state !== 'running') {
      progress?.('')
      return run
    }
    progress?.(describe(run))
    await sleep(pollMs, undefined, { signal: interrupt.signal }).catch(() => undefined)
  }
  progress?.('')
  throw new CommandError(`the check goes on as task ${taskId}`)
}

const describe = ({ copies, planned, bytes, intact, missing, wrong_bytes, unreachable }: SampleRun): string =>
  `${copies} of about ${planned} copies (${formatSize(bytes)}): ${intact} intact, ${missing} missing, ${wrong_bytes} with other bytes, ${unreachable} unreachable`
