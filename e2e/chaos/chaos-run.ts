/** One seeded run: concurrent clients, faults at every provider, and a gateway killed at random moments. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FundedDevnet } from '../fixtures/funded-devnet.ts'
import { findProblemsAtRest } from './at-rest.ts'
import { createClient } from './client.ts'
import { KeyHistory } from './key-history.ts'
import { type LiveGateway, startLiveGateway } from './live-gateway.ts'
import { startNemesis } from './nemesis.ts'
import { createRandom, type Random } from './random.ts'

interface ChaosOptions {
  readonly seed: number
  readonly network: FundedDevnet
  readonly kills?: number
}

export interface ChaosReport {
  readonly seed: number
  readonly problems: readonly string[]
  readonly kills: number
  readonly faults: number
  /** Number of answered operations, by name. */
  readonly answered: Readonly<Record<string, number>>
  readonly seconds: number
}

const clientsCount = 4
const keysPerClient = 3
const copies = 2
/** Time between two kills of the gateway. */
const killIntervalMs = { min: 300, max: 2500 }

export async function runChaos({ seed, network, kills = 3 }: ChaosOptions): Promise<ChaosReport> {
  const startedMs = performance.now()
  const random = createRandom(seed)
  await using gateway = await startLiveGateway(network, `chaos-${seed}`)
  const bucket = `chaos-${seed}`
  await createBucket(gateway, bucket)
  const shared = [random.bytes(500), random.bytes(5000)]
  const clients = Array.from({ length: clientsCount }, (_, index) => {
    const histories = Array.from({ length: keysPerClient }, (_, key) => new KeyHistory(`client-${index}/key-${key}`))
    return { histories, ...createClient({ gateway, bucket, histories, shared, random: random.fork(`client ${index}`) }) }
  })

  const ended = new AbortController()
  const working = Promise.all(
    clients.map(async (client) => {
      while (!ended.signal.aborted) await client.act()
    }),
  )
  // The error is reported by `await working` below.
  working.catch(() => ended.abort())
  let faults = 0
  try {
    await using nemesis = startNemesis(network.devnet.providers, random.fork('nemesis'))
    for (let kill = 0; kill < kills; kill++) {
      await sleep(randomInterval(random))
      await gateway.crash()
    }
    await sleep(randomInterval(random))
    faults = nemesis.placed.length
  } finally {
    // Stops the clients also when a kill or a start failed.
    ended.abort()
  }
  await working

  const histories = clients.flatMap((client) => client.histories)
  for (const client of clients) await client.verifyAll()
  const atRest = await findProblemsAtRest({ network, gateway, bucket, copies, histories })
  return {
    seed,
    problems: [...clients.flatMap(({ problems }) => problems), ...atRest],
    kills,
    faults,
    answered: sum(clients.map(({ answered }) => answered)),
    seconds: (performance.now() - startedMs) / 1000,
  }
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
