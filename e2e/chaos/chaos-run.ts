/** One seeded run: concurrent clients, faults at every provider, and a gateway killed at random moments. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { findProblemsAtRest } from './at-rest.ts'
import { type ChaosClient, createClient } from './client.ts'
import { KeyHistory } from './key-history.ts'
import { type LiveGateway, startLiveGateway } from './live-gateway.ts'
import { createMover, type Mover } from './mover.ts'
import { startNemesis } from './nemesis.ts'
import { releaseUndecided } from './operator.ts'
import { createPackOperator } from './pack-operator.ts'
import { createRandom, type Random } from './random.ts'
import { createBodies, largeSizeOf, makeBody, type SizeChoice } from './sizes.ts'

export interface ChaosOptions {
  readonly seed: number
  readonly network: FundedDevnet
  readonly kills?: number
  /** `any`: also the smallest and largest objects, copies, uploads in parts and releases of storage confirmations. */
  readonly sizes?: SizeChoice
  /** Replaces providers, and ends the service of a data set behind the gateway's back in half of the seeds. */
  readonly hasMoves?: boolean
}

export interface ChaosReport {
  readonly seed: number
  readonly problems: readonly string[]
  readonly kills: number
  readonly faults: number
  /** Pieces of released attempts that landed late and were removed from the chain. */
  readonly surplusPieces: number
  /** Copies that an operator released from their attempts. */
  readonly releases: number
  /** Number of answered operations, by name. */
  readonly answered: Readonly<Record<string, number>>
  readonly seconds: number
}

/** Enough that replacements find providers that the bucket never used. */
export const movedProviders = 14
const clientsCount = 4
const keysPerClient = 3
const copies = 2
/** Time between two kills of the gateway. */
const killIntervalMs = { min: 300, max: 2500 }

export async function runChaos({ seed, network, kills = 3, sizes = 'default', hasMoves = false }: ChaosOptions): Promise<ChaosReport> {
  const startedMs = performance.now()
  const random = createRandom(seed)
  const hasAll = sizes === 'any'
  await using gateway = await startLiveGateway(network, { name: `chaos-${seed}`, sizes, seed, hasMoves })
  const bucket = `chaos-${seed}`
  await createBucket(gateway, bucket)
  const bodies = createBodies(sizes, random)
  const startClient = (name: string, keys: number) => {
    const histories = Array.from({ length: keys }, (_, key) => new KeyHistory(`${name}/key-${key}`))
    return { histories, ...createClient({ gateway, bucket, histories, makeBody: bodies, hasParts: hasAll, random: random.fork(name) }) }
  }
  const clients = Array.from({ length: clientsCount }, (_, index) => startClient(`client-${index}`, keysPerClient))
  const operator = startClient('operator', 1)
  const mover = createMover({ network, gateway, bucket, random: random.fork('mover') })
  const endsService = hasMoves && random.fork('ended service').chance(0.5)
  const large = hasAll ? [startClient('large', 1)] : []

  const packing = createPackOperator({ gateway, bucket, random: random.fork('packs') })
  const ended = new AbortController()
  const working = Promise.all([
    ...clients.map((client) => actUntil(client, ended.signal)),
    ...(hasMoves ? [mover.act(ended.signal)] : []),
    ...(sizes === 'packed' ? [actUntil(packing, ended.signal)] : []),
    ...large.map(async (client) => client.insist(await makeBody(random.fork('large body'), largeSizeOf(seed, random.fork('large size'))))),
  ])
  // The error is reported by `await working` below.
  working.catch(() => ended.abort())
  let faults = 0
  const released: Awaited<ReturnType<typeof releaseUndecided>>[] = []
  try {
    {
      await using nemesis = startNemesis(network.devnet.providers, random.fork('nemesis'))
      for (let kill = 0; kill < kills; kill++) {
        if (hasMoves) await mover.acted()
        await sleep(randomInterval(random))
        await gateway.crash()
      }
      await sleep(randomInterval(random))
      faults = nemesis.placed.length
    }
    if (hasAll)
      released.push(await releaseUndecided({ devnet: network.devnet, gateway, bucket, client: operator, random: random.fork('operator') }))
  } finally {
    // Stops the clients also when a kill or a start failed.
    ended.abort()
  }
  await working

  if (hasMoves) await endMoves({ mover, gateway, isRepaired: endsService })
  const all = [...clients, ...large, operator]
  for (const client of all) await client.verifyAll()
  const { problems, surplusPieces } = await findProblemsAtRest({
    network,
    gateway,
    bucket,
    copies,
    histories: all.flatMap(({ histories }) => histories),
  })
  const actors = [...all, ...released, mover]
  const answered = sum([...actors, packing].map(({ answered }) => answered))
  return {
    seed,
    problems: [...actors.flatMap(({ problems }) => problems), ...problems],
    kills,
    faults,
    releases: answered.release ?? 0,
    surplusPieces,
    answered,
    seconds: (performance.now() - startedMs) / 1000,
  }
}

interface EndedMoves {
  readonly mover: Mover
  readonly gateway: LiveGateway
  readonly isRepaired: boolean
}

/** Waits for the end of all moves. In some seeds a service is then ended, and the gateway is killed while it repairs that. */
async function endMoves({ mover, gateway, isRepaired }: EndedMoves): Promise<void> {
  await mover.settle()
  if (isRepaired) {
    await mover.endService()
    await mover.repairs()
    await gateway.crash()
    await mover.settle()
  }
  await mover.tally()
}

async function actUntil(client: Pick<ChaosClient, 'act'>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await client.act()
}

const randomInterval = (random: Random) => killIntervalMs.min + random.below(killIntervalMs.max - killIntervalMs.min)

async function createBucket({ process, user }: LiveGateway, name: string): Promise<void> {
  const json = { name, owner_access_key: user.access_key, default_copies: copies, minimum_durable_copies: 1 }
  const reply = await process.call('POST', '/api/v1/buckets', { json })
  if (reply.status !== 201) throw new Error(`creating the bucket failed: ${reply.status} ${reply.text}`)
}

function sum(counts: readonly ReadonlyMap<string, number>[]): Readonly<Record<string, number>> {
  const total: Record<string, number> = {}
  for (const [operation, count] of counts.flatMap((map) => [...map])) total[operation] = (total[operation] ?? 0) + count
  return total
}
