/** An operator who replaces providers at random moments, and a stranger who ends a service, which the automatic repair mends. */
import { setTimeout as sleep } from 'node:timers/promises'
import { endServiceOnChain } from '../../devnet/testing/end-service.ts'
import type { AdminReply } from '../fixtures/admin-calls.ts'
import type { FundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { until } from '../fixtures/until.ts'
import type { LiveGateway } from './live-gateway.ts'
import type { Random } from './random.ts'

interface MoverDeps {
  readonly network: FundedDevnet
  readonly gateway: LiveGateway
  readonly bucket: string
  readonly random: Random
}

export interface Mover {
  readonly problems: readonly string[]
  /** Answers by operation. */
  readonly answered: ReadonlyMap<string, number>
  /** Resolves after the next answer to a confirmation or retry: a kill soon after it meets a replacement at work. */
  acted(): Promise<void>
  /** Confirms and retries replacements until the signal. */
  act(signal: AbortSignal): Promise<void>
  /** Ends the service of one current data set on chain, as the payer could with another program. */
  endService(): Promise<void>
  /** Retries what failed until every replacement has ended. */
  settle(): Promise<void>
  /** Resolves when the automatic repair moves a replica. */
  repairs(): Promise<void>
  /** Counts the replacements by their end. */
  tally(): Promise<void>
}

interface Move {
  readonly id: number
  readonly status: string
  readonly retryable: boolean
  readonly origin: 'operator' | 'repair'
  readonly source: { readonly id: number }
  readonly target: { readonly id: number }
}

interface DataSet {
  readonly id: number
  readonly data_set_id?: string | null
  readonly is_current: boolean
  readonly replaceable: boolean
  readonly status: string
}

const pauseMs = { min: 400, max: 2500 }
/** Wall time on a busy machine: each replacement waits for the end of a service to be final. */
const settledWithinMs = 900_000
const ended: readonly string[] = ['completed', 'superseded']
/** Wall time on a busy machine: data sets are created first, while providers have faults. */
const actedWithinMs = 300_000
/** The automatic repair looks each minute. */
const repairWithinMs = 90_000
/** Refusals that follow from what another actor did in between, or from faults. */
const refusals: ReadonlySet<string> = new Set([
  'replacement_active',
  'replacement_data_set_not_found',
  'replacement_no_eligible_provider',
  'replacement_not_retryable',
  'replacement_service_unavailable',
  'replacement_source_creating',
  'replacement_source_not_current',
  'replacement_superseded',
  'replacement_target_in_use',
  'replacement_target_invalid',
  'replacement_target_unavailable',
  'replacement_task_running',
])

export function createMover({ network, gateway, bucket, random }: MoverDeps): Mover {
  const problems: string[] = []
  const answered = new Map<string, number>()
  const count = (operation: string) => answered.set(operation, (answered.get(operation) ?? 0) + 1)
  let requests = 0
  let answers = 0
  let resent: { readonly path: string; readonly json: object } | undefined

  /** A killed gateway does not answer. */
  async function call(method: 'GET' | 'POST', path: string, json?: object): Promise<AdminReply | undefined> {
    try {
      const reply = await gateway.process.call(method, path, json === undefined ? {} : { json })
      return reply.status >= 500 && reply.json?.code !== 'replacement_service_unavailable' ? undefined : reply
    } catch {
      count('no answer')
      return undefined
    }
  }

  function judge(operation: string, { status, json, text }: AdminReply): void {
    answers += 1
    if (status < 300) count(operation)
    else if (refusals.has(json?.code)) count(`${operation} refused`)
    else problems.push(`the ${operation} was answered with ${status} ${text}`)
  }

  const dataSets = async (): Promise<readonly DataSet[]> => (await call('GET', `/api/v1/buckets/${bucket}`))?.json?.data_sets ?? []

  async function records(): Promise<readonly Move[] | undefined> {
    return (await call('GET', '/api/v1/storage-replacements?limit=100'))?.json?.replacements
  }

  async function confirmAny(): Promise<void> {
    const source = (await dataSets()).filter(({ replaceable }) => replaceable)
    if (source.length > 0) await confirm(random.pick(source).id, random.chance(0.3))
  }

  /** Chooses by hand also a provider that the bucket used before. */
  async function confirm(dataSetId: number, isByHand: boolean): Promise<void> {
    const path = `/api/v1/buckets/${bucket}/data-sets/${dataSetId}/replacement`
    const found = isByHand ? (await call('GET', `${path}/providers`))?.json?.providers : undefined
    const eligible = (found ?? []).filter((one: { readonly eligible: boolean }) => one.eligible)
    const choice =
      eligible.length > 0
        ? { mode: 'manual', provider_id: random.pick<{ provider_id: string }>(eligible).provider_id }
        : { mode: 'automatic' }
    await send({ path, json: { ...choice, client_request_id: `move ${++requests}` } })
  }

  /** A request without an answer is sent again with its id: it must not begin a second replacement. */
  async function send(request: { readonly path: string; readonly json: object }): Promise<void> {
    const reply = await call('POST', request.path, request.json)
    resent = reply ? undefined : request
    if (reply) judge(reply.status === 200 ? 'repeated replacement' : 'replacement', reply)
  }

  async function retry(): Promise<void> {
    const failed = ((await records()) ?? []).filter(({ retryable }) => retryable)
    if (failed.length === 0) return
    const reply = await call('POST', `/api/v1/storage-replacements/${random.pick(failed).id}/retry`, {})
    if (reply) judge('retry', reply)
  }

  /** A target that cannot be used any more is replaced by a new confirmation of the slot's data set. Returns whether all have ended. */
  async function mend(sinceMs: number): Promise<true | undefined> {
    const all = await records()
    if (!all) return undefined
    const open = all.filter(({ status }) => !ended.includes(status))
    await resume(open.filter(({ status }) => status === 'failed' || status === 'cleanup_attention'))
    if (open.length > 0) return undefined
    const broken = (await dataSets()).filter(({ is_current, status }) => is_current && status !== 'ready')
    // An operator takes what the repair does not, such as for want of a provider that was never used.
    if (performance.now() - sinceMs > repairWithinMs) for (const { id } of broken) await confirm(id, true)
    return broken.length === 0 ? true : undefined
  }

  /** Confirms a first replacement: on a busy machine there was no data set to replace before the last kill. */
  async function begin(): Promise<true | undefined> {
    if (resent) await send(resent)
    else if (!answered.has('replacement')) await confirmAny()
    return (!resent && answered.has('replacement')) || undefined
  }

  async function resume(stopped: readonly Move[]): Promise<void> {
    if (stopped.some(({ retryable }) => retryable)) return retry()
    for (const { source, target } of stopped) for (const { id } of [source, target]) await confirm(id, true)
  }

  return {
    problems,
    answered,
    async acted() {
      const before = answers
      await until('the operator acts', async () => answers > before || undefined, { withinMs: actedWithinMs, everyMs: 50 })
    },
    async act(signal) {
      while (!signal.aborted) {
        if (resent) await send(resent)
        else if (random.chance(0.3)) await retry()
        else await confirmAny()
        await sleep(pauseMs.min + random.below(pauseMs.max - pauseMs.min), undefined, { signal }).catch(ignoreAbort)
      }
    },
    async endService() {
      const current = (await dataSets()).filter(({ is_current, data_set_id }) => is_current && data_set_id != null)
      if (current.length === 0) return
      const { devnet, privateKey } = network
      await endServiceOnChain(devnet, privateKey, BigInt(random.pick(current).data_set_id ?? 0))
      count('ended service')
    },
    async settle() {
      const sinceMs = performance.now()
      try {
        await until('a replacement is confirmed', begin, { withinMs: settledWithinMs, everyMs: 1000 })
        await until('every replacement has ended', () => mend(sinceMs), { withinMs: settledWithinMs, everyMs: 1000 })
      } catch (error) {
        problems.push(`${(error as Error).message}: ${JSON.stringify(await records())}`)
      }
    },
    async repairs() {
      const begun = async () => (await records())?.some(({ origin }) => origin === 'repair') || undefined
      await until('the automatic repair moves a replica', begun, { withinMs: actedWithinMs, everyMs: 500 })
    },
    async tally() {
      for (const { origin, status } of (await records()) ?? []) count(`${status} ${origin === 'repair' ? 'repair' : 'replacement'}`)
    },
  }
}

function ignoreAbort(error: unknown): void {
  if ((error as Error).name !== 'AbortError') throw error
}
