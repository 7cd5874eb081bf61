import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '#kernel'
import { createFakeClock, type FakeClock, openTestDatabase, silentLog } from '#kernel/testing'
import type { Chain } from '#plugins/wallet'
import { uncertain } from '../client/provider-answer.ts'
import type { ProviderFacts, ProviderFactsReader } from '../contract.ts'
import { providerMigrations } from '../migrations.ts'
import { registryChain } from '../testing/registry-chain.ts'
import { createProviders } from './providers.ts'

const slots = { store: 8, lookup: 4, mutation: 4, removal: 2 }

const chainOf = (serviceUrls: readonly string[]) => registryChain(serviceUrls.map((serviceUrl) => ({ serviceUrl })))

/** Counts connections; answers pings or breaks off. */
async function pingServer(isBroken: boolean) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(isBroken ? '' : 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((closed) => server.close(closed))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets }
}

const noFacts: ProviderFactsReader = { of: () => ({}) }

const inventorySchema = { name: 'providers', migrations: providerMigrations }

interface Options {
  readonly limits?: { registry?: number; pings?: number }
  readonly facts?: ProviderFactsReader
  readonly clock?: FakeClock
  readonly database?: Database
}

async function open(chain: Chain, { database, clock = createFakeClock(), facts = noFacts, limits = {} }: Options = {}) {
  const deps = {
    database: database ?? (await openDatabase()),
    chain,
    clock,
    facts,
    limits,
    slots,
    checks: { interval: 300_000, timeout: 5000, concurrency: 10 },
  }
  const providers = await createProviders({ ...deps, log: silentLog, egress: { allowPrivateNetworks: true } })
  onTestFinished(() => providers[Symbol.asyncDispose]())
  return providers
}

async function openDatabase() {
  const database = await openTestDatabase([inventorySchema])
  onTestFinished(() => database[Symbol.asyncDispose]())
  return database
}

test('a registry read that hangs ends as chain_unreachable, and the next call reads again', async () => {
  const chain = chainOf([])
  const never = { ...chain, read: () => new Promise<never>(() => {}) } as unknown as Chain
  let current = never
  const providers = await open({ ...chain, read: ((call: never) => current.read(call)) as Chain['read'] }, { limits: { registry: 20 } })
  await expect(providers.listAvailable()).rejects.toMatchObject({ code: 'chain_unreachable' })
  current = chain
  expect(await providers.listAvailable()).toEqual([])
})

test('when pings take too long the inventory has only the providers that answered', async () => {
  const broken = await pingServer(true)
  const providers = await open(chainOf(Array.from({ length: 25 }, (_, n) => `${broken.url}/${n}`)), { limits: { pings: 0 } })
  expect(await providers.listAvailable()).toEqual([])
  expect(broken.sockets).toHaveLength(10)
})

test('when pings take too long, the next round begins with those that were not asked', async () => {
  const server = await pingServer(false)
  const clock = createFakeClock()
  const providers = await open(chainOf(Array.from({ length: 25 }, (_, n) => `${server.url}/${n}`)), { limits: { pings: 0 }, clock })
  for (const asked of [10, 20, 25]) {
    await providers.refresh()
    await clock.advance(1000)
    expect((await providers.inventory()).providers.filter(({ pingedAtMs }) => pingedAtMs !== null)).toHaveLength(asked)
  }
})

test('a provider that answers pings and nothing else is not available for new data sets', async () => {
  const server = await pingServer(false)
  const providers = await open(chainOf([server.url]))
  expect((await providers.listAvailable()).map(({ serviceUrl }) => serviceUrl)).toEqual([server.url])
  for (let call = 0; call < 3; call++) {
    using turn = providers.turns.take(server.url, 'store')
    turn.record(uncertain({ reason: 'timeout', detail: 'late' }))
  }
  expect(await providers.listAvailable()).toEqual([])
})

test('a provider has the name that it registered once the registry was read, also while it does not answer', async () => {
  const { url } = await pingServer(true)
  const providers = await open(chainOf([url]))
  expect(providers.nameOf('1')).toBeUndefined()
  expect(await providers.listAvailable()).toEqual([])
  expect([providers.nameOf('1'), providers.nameOf('2')]).toEqual(['provider 0', undefined])
})

test('available providers have the present facts of plugins, and no list is returned when facts cannot be stated', async () => {
  const { url } = await pingServer(false)
  let stated: ProviderFacts = {}
  const providers = await open(chainOf([url]), { facts: { of: () => stated } })
  expect(await providers.listAvailable()).toMatchObject([{ isBlocked: false, preference: 0 }])
  stated = { blocked: 'sanctions', preference: 3 }
  expect(await providers.listAvailable()).toMatchObject([{ isBlocked: true, preference: 3 }])
  const broken = await open(chainOf([url]), {
    facts: {
      of: () => {
        throw new Error('no list of sanctions')
      },
    },
  })
  await expect(broken.listAvailable()).rejects.toThrow('no list of sanctions')
})

test('the inventory survives a restart: fresh without a read of the chain, stale while the chain is silent, with the last failure', async () => {
  const { url } = await pingServer(false)
  const [database, clock] = [await openDatabase(), createFakeClock()]
  const before = await open(chainOf([url]), { database, clock })
  expect(await before.inventory()).toMatchObject({ freshness: 'unknown', readAtMs: null, providers: [] })
  await before.refresh()
  const silent = { ...chainOf([url]), read: () => Promise.reject(Object.assign(new Error('no answer'), { code: 'chain_unreachable' })) }
  const after = await open(silent, { database, clock })
  expect(after.nameOf('1')).toBe('provider 0')
  expect(await after.listAvailable()).toMatchObject([{ providerId: '1', serviceUrl: url, pieceBytesMax: 1_065_353_216 }])
  const readAtMs = clock.now()
  await clock.advance(11 * 60_000)
  await expect(after.listAvailable()).rejects.toThrow('no answer')
  const stale = { freshness: 'stale', readAtMs, failedAtMs: clock.now(), failure: 'no answer' }
  expect(await after.inventory()).toMatchObject({
    ...stale,
    providers: [{ providerId: '1', name: 'provider 0', pingedAtMs: readAtMs, pingFailure: null }],
  })
})

test('the inventory of another chain is unknown', async () => {
  const { url } = await pingServer(false)
  const database = await openDatabase()
  await (await open(chainOf([url]), { database })).refresh()
  const chain = chainOf([])
  const other = await open({ ...chain, network: { ...chain.network, chainId: 8 } } as Chain, { database })
  expect(await other.inventory()).toMatchObject({ freshness: 'unknown', providers: [] })
  expect(await other.listAvailable()).toEqual([])
  expect(await other.inventory()).toMatchObject({ freshness: 'fresh', providers: [] })
})

test('a provider that left the registry leaves the inventory, and one that fails its ping keeps its row with the reason', async () => {
  const [good, broken] = [await pingServer(false), await pingServer(true)]
  const database = await openDatabase()
  await (await open(chainOf([good.url, good.url, good.url]), { database })).refresh()
  const providers = await open(chainOf([good.url, broken.url]), { database })
  await providers.refresh()
  expect((await providers.inventory()).providers.toSorted((a, b) => a.providerId.localeCompare(b.providerId))).toMatchObject([
    { providerId: '1', pingFailure: null },
    { providerId: '2', serviceUrl: broken.url, pingMs: null, pingFailure: 'connection_lost' },
  ])
  expect((await providers.listAvailable()).map(({ providerId }) => providerId)).toEqual(['1'])
})

test('concurrent callers share one read of the chain', async () => {
  const { url } = await pingServer(false)
  const chain = chainOf([url])
  const counted: string[] = []
  const read = ((call: { functionName: string }) => {
    counted.push(call.functionName)
    return chain.read(call as never)
  }) as Chain['read']
  const providers = await open({ ...chain, read })
  expect((await Promise.all([1, 2, 3].map(() => providers.listAvailable()))).map(({ length }) => length)).toEqual([1, 1, 1])
  expect(counted.filter((name) => name === 'getProviderCount')).toHaveLength(1)
})
