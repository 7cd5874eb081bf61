/** An operator who releases storage confirmations while attempts wait in a chain that stands still. */
import { setTimeout as sleep } from 'node:timers/promises'
import { allRows } from '#kernel/testing'
import type { Devnet } from '../../devnet/devnet.ts'
import { bodyOf } from '../fixtures/body.ts'
import { openReader } from '../fixtures/check-database.ts'
import { until } from '../fixtures/until.ts'
import type { ChaosClient } from './client.ts'
import type { LiveGateway } from './live-gateway.ts'
import type { Random } from './random.ts'

interface OperatorDeps {
  readonly devnet: Devnet
  readonly gateway: LiveGateway
  readonly bucket: string
  /** Puts the object whose attempt becomes undecided, if no other one does. */
  readonly client: ChaosClient
  readonly random: Random
}

interface Released {
  readonly problems: readonly string[]
  readonly answered: ReadonlyMap<string, number>
}

/** Wall time on a busy machine. Entries appear after 60 epochs (15 s) and the next late check. */
const entriesWithinMs = 600_000
const dataSetWithinMs = 600_000
/** Released copies are usually sent again while the old attempts still wait, unless enough other attempts are in flight. */
const resentWithinMs = 15_000
const pauseMs = 500
const objectBytes = 1000

/**
 * Stops the chain, so that attempts stay undecided until they are storage confirmations, releases at least one of them, and lets the chain
 * mine: the released attempts land late, beside new ones. In half of the seeds the answers of the providers are lost, too.
 */
export async function releaseUndecided({ devnet, gateway, bucket, client, random }: OperatorDeps): Promise<Released> {
  const { chain, providers } = devnet
  const answered = new Map<string, number>()
  const problems: string[] = []
  // Payment begins with a data set.
  await until('a data set on chain', () => findDataSet(gateway, bucket), { withinMs: dataSetWithinMs })
  await chain.hold()
  try {
    if (random.chance(0.5)) for (const { faults } of providers) faults.add({ kind: 'drop_answer', routes: ['pieces_add'], count: 1 })
    await client.insist(bodyOf(random.bytes(objectBytes)))
    const released = await until('a released storage confirmation', () => releaseEntries(gateway, random, { answered, problems }), {
      withinMs: entriesWithinMs,
      everyMs: pauseMs,
    })
    await waitUntilResent(gateway, released)
  } finally {
    for (const { faults } of providers) faults.clear()
    await chain.release()
  }
  return { problems, answered }
}

async function findDataSet({ process }: LiveGateway, bucket: string): Promise<true | undefined> {
  const { json } = await process.call('GET', `/api/v1/buckets/${bucket}`)
  return json?.data_sets?.some(({ data_set_id }: { readonly data_set_id?: string }) => data_set_id !== undefined) || undefined
}

interface Account {
  readonly answered: Map<string, number>
  readonly problems: string[]
}

/** Releases the first entry and about half of the others, which the chain settles. Undefined when none was released. */
async function releaseEntries(
  { process }: LiveGateway,
  random: Random,
  { answered, problems }: Account,
): Promise<readonly number[] | undefined> {
  const released: number[] = []
  for (const { copy_id, attempt_id } of (await process.call('GET', '/api/v1/storage-confirmations')).json) {
    if (released.length > 0 && random.chance(0.5)) continue
    const json = { expected_attempt_id: attempt_id, acknowledge_possible_duplicate: true }
    const { status, text } = await process.call('POST', `/api/v1/storage-confirmations/${copy_id}/release`, { json })
    const operation = status < 300 ? 'release' : 'release refused'
    answered.set(operation, (answered.get(operation) ?? 0) + 1)
    if (status < 300) released.push(copy_id)
    else if (![404, 409, 503].includes(status)) problems.push(`the release of copy ${copy_id} was answered with ${status} ${text}`)
  }
  return released.length > 0 ? released : undefined
}

async function waitUntilResent({ dir }: LiveGateway, copyIds: readonly number[]): Promise<void> {
  using database = openReader(dir)
  const resent = `select i.copy_id from commit_items i join commit_batches b on b.id = i.batch_id
    where i.copy_id in (${copyIds.join(', ')}) and i.released_at is null and b.state in ('submitted', 'uncertain')`
  const endMs = performance.now() + resentWithinMs
  while (performance.now() < endMs && (await allRows(database, resent)).length === 0) await sleep(pauseMs)
}
