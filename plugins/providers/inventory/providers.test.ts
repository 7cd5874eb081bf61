import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { numberToHex, stringToHex } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { createFakeClock, silentLog } from '#kernel/testing'
import type { Chain } from '#plugins/wallet'
import { uncertain } from '../client/provider-answer.ts'
import type { ProviderFacts, ProviderFactsReader } from '../contract.ts'
import { createProviders } from './providers.ts'

const address = `0x${'a'.repeat(40)}` as const
const slots = { store: 8, lookup: 4, mutation: 4, removal: 2 }

/** A chain whose registry has approved providers at these URLs. */
function chainOf(serviceUrls: readonly string[]): Chain {
  const providers = serviceUrls.map((url, index) => {
    const capabilities = {
      serviceURL: stringToHex(url),
      minPieceSizeInBytes: '0x7f',
      maxPieceSizeInBytes: numberToHex(1_065_353_216),
      storagePricePerTibPerDay: '0x01',
      minProvingPeriodInEpochs: '0x1e',
      location: stringToHex('C=DE'),
      paymentTokenAddress: address,
    }
    return {
      providerId: BigInt(index + 1),
      providerInfo: { serviceProvider: address, payee: address, name: `provider ${index}`, description: '', isActive: true },
      product: { productType: 0, capabilityKeys: Object.keys(capabilities), isActive: true },
      productCapabilityValues: Object.values(capabilities),
    }
  })
  const answers: Record<string, unknown> = {
    getProviderCount: BigInt(providers.length),
    getApprovedProviders: providers.map(({ providerId }) => providerId),
    getProviderIds: [],
  }
  return {
    network: { epochSeconds: 1, contracts: { registry: address, endorsements: address } },
    warmStorageView: async () => address,
    read: async ({ functionName, args }: { functionName: string; args?: readonly unknown[] }) =>
      functionName === 'getProviderWithProduct' ? providers[Number(args?.[0]) - 1] : answers[functionName],
  } as unknown as Chain
}

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

const open = (chain: Chain, limits: { registry?: number; pings?: number } = {}, facts = noFacts) => {
  const providers = createProviders({
    chain,
    clock: createFakeClock(),
    log: silentLog,
    egress: { allowPrivateNetworks: true },
    slots,
    facts,
    limits,
  })
  onTestFinished(() => providers[Symbol.asyncDispose]())
  return providers
}

test('a registry read that hangs ends as chain_unreachable, and the next call reads again', async () => {
  const chain = chainOf([])
  const never = { ...chain, read: () => new Promise<never>(() => {}) } as unknown as Chain
  let current = never
  const providers = open({ ...chain, read: ((call: never) => current.read(call)) as Chain['read'] }, { registry: 20 })
  await expect(providers.listAvailable()).rejects.toMatchObject({ code: 'chain_unreachable' })
  current = chain
  expect(await providers.listAvailable()).toEqual([])
})

test('when pings take too long the inventory has only the providers that answered', async () => {
  const broken = await pingServer(true)
  const providers = open(chainOf(Array.from({ length: 25 }, (_, n) => `${broken.url}/${n}`)), { pings: 0 })
  expect(await providers.listAvailable()).toEqual([])
  expect(broken.sockets).toHaveLength(10)
})

test('a provider that answers pings and nothing else is not available for new data sets', async () => {
  const server = await pingServer(false)
  const providers = open(chainOf([server.url]))
  expect((await providers.listAvailable()).map(({ serviceUrl }) => serviceUrl)).toEqual([server.url])
  for (let call = 0; call < 3; call++) {
    using turn = providers.turns.take(server.url, 'store')
    turn.record(uncertain({ reason: 'timeout', detail: 'late' }))
  }
  expect(await providers.listAvailable()).toEqual([])
})

test('a provider has the name that it registered once the registry was read, also while it does not answer', async () => {
  const { url } = await pingServer(true)
  const providers = open(chainOf([url]))
  expect(providers.nameOf('1')).toBeUndefined()
  expect(await providers.listAvailable()).toEqual([])
  expect([providers.nameOf('1'), providers.nameOf('2')]).toEqual(['provider 0', undefined])
})

test('available providers have the present facts of plugins, and no list is returned when facts cannot be stated', async () => {
  const { url } = await pingServer(false)
  let stated: ProviderFacts = {}
  const providers = open(chainOf([url]), {}, { of: () => stated })
  expect(await providers.listAvailable()).toMatchObject([{ isBlocked: false, preference: 0 }])
  stated = { blocked: 'sanctions', preference: 3 }
  expect(await providers.listAvailable()).toMatchObject([{ isBlocked: true, preference: 3 }])
  const broken = open(
    chainOf([url]),
    {},
    {
      of: () => {
        throw new Error('no list of sanctions')
      },
    },
  )
  await expect(broken.listAvailable()).rejects.toThrow('no list of sanctions')
})
