/** What tests of replacements ask of a stage, whose bucket has replicas to be replaced. */
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { AdminCalls } from '../fixtures/admin-calls.ts'
import { stageBucket } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'

/** Settings of a stage that serves the calls below. */
export const withReplacements = {
  'plugins.packages': [fileURLToPath(new URL('../fixtures/replacements/replacements-plugin.ts', import.meta.url))],
}

interface Generation {
  readonly id: number
  readonly providerId: string
  readonly chainId: string | null
  readonly state: string
  readonly endCause: string | null
}

interface ShownReplacement {
  readonly id: number
  readonly status: string
  readonly phase: string
  readonly waitReason: string | null
  readonly waitMessage: string | null
  readonly lastError: string | null
  readonly failureReason: string | null
  readonly supersededById: number | null
  readonly targetId: number
  readonly providerId: string
  readonly terminationEpoch: string | null
  readonly progress: {
    readonly isSeeded: boolean
    readonly total: number
    readonly percent?: number
    readonly byState: Readonly<Record<string, number>>
  }
}

interface Seen {
  readonly slots: readonly { readonly slot: number; readonly currentId: number | null; readonly generations: readonly Generation[] }[]
  readonly replacements: readonly ShownReplacement[]
}

interface OnStage {
  readonly gateway: AdminCalls
}

export const look = async ({ gateway }: OnStage): Promise<Seen> =>
  (await gateway.call('GET', `/api/v1/test-replacements/of/${stageBucket}`)).json

/** The generations of a slot, oldest first. */
export const generationsOf = async (stage: OnStage, slot = 0): Promise<readonly Generation[]> =>
  (await look(stage)).slots.find((one) => one.slot === slot)?.generations ?? []

export async function currentOf(stage: OnStage, slot = 0): Promise<number> {
  const id = (await look(stage)).slots.find((one) => one.slot === slot)?.currentId
  if (id == null) throw new Error(`slot ${slot} has no data set`)
  return id
}

/** Confirms a replacement of the current data set of slot 0, automatic unless told otherwise. Returns its record. */
export async function confirm(stage: OnStage, command: Readonly<Record<string, unknown>> = {}): Promise<ShownReplacement> {
  const dataSetId = command.dataSetId ?? (await currentOf(stage))
  const json = { bucket: stageBucket, dataSetId, mode: 'automatic', clientRequestId: randomBytes(4).toString('hex'), ...command }
  const { status, text, json: answer } = await stage.gateway.call('POST', '/api/v1/test-replacements', { json })
  if (status !== 200) throw new Error(`not confirmed: ${status} ${text}`)
  return answer.replacement
}

export const retry = ({ gateway }: OnStage, id: number) => gateway.call('POST', `/api/v1/test-replacements/${id}/retry`)

/** Waits until the replacement looks like this, and returns it. */
export async function reaches(
  stage: OnStage,
  { id }: { readonly id: number },
  isReached: (seen: ShownReplacement) => boolean,
  withinMs = 90_000,
): Promise<ShownReplacement> {
  let last: unknown
  try {
    return await until(
      `the state of replacement ${id}`,
      async () => {
        const seen = await look(stage)
        last = seen
        const found = seen.replacements?.find((one) => one.id === id)
        return found && isReached(found) ? found : undefined
      },
      { withinMs },
    )
  } catch (error) {
    throw new Error(`${(error as Error).message}; last: ${JSON.stringify(last)}`, { cause: error })
  }
}

export const completes = (stage: OnStage, one: { readonly id: number }, withinMs?: number) =>
  reaches(stage, one, ({ status }) => status === 'completed', withinMs)
