import { type Hex, numberToHex, stringToHex } from 'viem'
import { expect, test } from 'vitest'
import type { ChainPort } from './chain-port.ts'
import { readApprovedIds, readEndorsedIds, readProvider, readRegistry } from './provider-registry.ts'

const token = '0x80B98d3aa09ffff255c3ba4A241111Ff1262F045'
const sp = '0x00000000000000000000000000000000000000aA'
const usual: Record<string, Hex> = {
  serviceURL: stringToHex('https://sp.example/base'),
  minPieceSizeInBytes: '0x7f',
  maxPieceSizeInBytes: numberToHex(1_065_353_216),
  storagePricePerTibPerDay: numberToHex(83_333_333_333_333_333n, { size: 8 }),
  minProvingPeriodInEpochs: '0x1e',
  location: stringToHex('C=DE;L=Berlin'),
  paymentTokenAddress: token,
}

function record(changes: Record<string, Hex | undefined> = {}, providerId = 1n) {
  const capabilities = Object.entries({ ...usual, ...changes }).filter((entry): entry is [string, Hex] => entry[1] !== undefined)
  return {
    providerId,
    providerInfo: { serviceProvider: sp, payee: sp, name: `sp ${providerId}`, description: '', isActive: true },
    product: { productType: 0, capabilityKeys: capabilities.map(([key]) => key), isActive: true },
    productCapabilityValues: capabilities.map(([, value]) => value),
  } as const
}

/** A chain whose contract reads are answered by `answer`. */
function chainThat(answer: (functionName: string, args: readonly unknown[]) => unknown): ChainPort {
  const read = async (call: { functionName: string; args?: readonly unknown[] }) => answer(call.functionName, call.args ?? [])
  return {
    network: { contracts: { registry: sp, endorsements: sp } },
    read,
    warmStorageView: async () => sp,
  } as unknown as ChainPort
}

test('a provider is decoded from its capabilities', async () => {
  expect(
    await readProvider(
      chainThat(() => record()),
      '1',
    ),
  ).toEqual({
    providerId: '1',
    address: sp,
    payee: sp,
    name: 'sp 1',
    description: '',
    isActive: true,
    hasPdp: true,
    serviceUrl: 'https://sp.example/base',
    pieceBytesMin: 127n,
    pieceBytesMax: 1_065_353_216n,
    storagePrice: 83_333_333_333_333_333n,
    location: 'C=DE;L=Berlin',
    extraCapabilities: {},
    problem: undefined,
  })
})

test.each([
  [{ serviceURL: undefined }, 'no value for serviceURL'],
  [{ location: '0x' as const, maxPieceSizeInBytes: undefined }, 'no value for maxPieceSizeInBytes, location'],
  [{ serviceURL: stringToHex('not a url') }, 'serviceURL is not a URL'],
  [{ serviceURL: stringToHex('https://provider.example\0') }, 'serviceURL is not a URL'],
  [{ serviceURL: stringToHex('ftp://sp.example/') }, 'serviceURL has the protocol ftp:, not http: or https:'],
  [{ paymentTokenAddress: `0x${'11'.repeat(33)}` as const }, 'paymentTokenAddress is longer than an address'],
  [{ maxPieceSizeInBytes: `0x${'11'.repeat(33)}` as const }, 'maxPieceSizeInBytes is longer than an integer'],
  [{ paymentTokenAddress: `0x${'0'.repeat(24)}${token.slice(2)}` as const }, undefined],
])('a provider with %o has the problem: %s', async (changes, problem) => {
  expect(
    (
      await readProvider(
        chainThat(() => record(changes)),
        '1',
      )
    )?.problem,
  ).toBe(problem)
})

test('a provider with an inactive storage offer is inactive', async () => {
  const withdrawn = record()
  const chain = chainThat(() => ({ ...withdrawn, product: { ...withdrawn.product, isActive: false } }))
  expect(await readProvider(chain, '1')).toMatchObject({ isActive: false, hasPdp: true })
})

const refused = (fields: object) => Object.assign(new Error('refused'), fields)

test('all pages are read, with providers without an offer and unusable ones', async () => {
  const chain = chainThat((name, [id]) => {
    if (name === 'getProviderCount') return 120n
    if (name === 'getProvider') return { providerId: id, info: record({}, id as bigint).providerInfo }
    if (id === 51n) throw refused({ code: 'chain_reverted' })
    return record(id === 2n ? { serviceURL: undefined } : {}, id as bigint)
  })
  const found = await readRegistry(chain)
  expect(found.map(({ providerId }) => providerId)).toEqual(Array.from({ length: 120 }, (_, index) => String(index + 1)))
  expect(found[1]).toMatchObject({ name: 'sp 2', hasPdp: true, problem: 'no value for serviceURL' })
  expect(found[50]).toMatchObject({ name: 'sp 51', isActive: true, hasPdp: false, serviceUrl: undefined, problem: 'no storage offer' })
})

test('a revert of the registry means that the provider does not exist; other errors are rethrown', async () => {
  const failing = (fields: object) =>
    chainThat(() => {
      throw refused(fields)
    })
  expect(await readProvider(failing({ code: 'chain_reverted', errorName: 'Error' }), '9')).toBeUndefined()
  await expect(readProvider(failing({ code: 'chain_unreachable' }), '9')).rejects.toThrow('refused')
})

test('a registry that counts providers without end is read up to 5,000', async () => {
  let reads = 0
  const chain = chainThat((name, [id]) => {
    if (name === 'getProviderCount') return 2n ** 256n - 1n
    reads += 1
    return record({}, id as bigint)
  })
  expect(await readRegistry(chain)).toHaveLength(5000)
  expect(reads).toBe(5000)
})

test('texts of a provider are cut, however long the node answers them, and its list of approvals ends', async () => {
  const long = 'x'.repeat(1_000_000)
  const chain = chainThat(() => ({
    ...record({ location: stringToHex(long), serviceURL: stringToHex(`https://sp.example/${long}`), [long]: stringToHex(long) }),
    providerInfo: { ...record().providerInfo, name: long, description: long },
  }))
  const found = await readProvider(chain, '1')
  expect(JSON.stringify(found, (_name, value) => (typeof value === 'bigint' ? String(value) : value)).length).toBeLessThan(6000)
  expect(found).toMatchObject({ problem: 'serviceURL is not a URL', name: 'x'.repeat(500) })
  let pages = 0
  const endless = chainThat((_name, [offset]) => {
    pages += 1
    return Array.from({ length: 100_000 }, (_, index) => (offset as bigint) + BigInt(index))
  })
  expect((await readApprovedIds(endless)).size).toBe(5000)
  expect(pages).toBe(100)
  expect((await readEndorsedIds(chainThat(() => Array.from({ length: 100_000 }, (_, index) => BigInt(index))))).size).toBe(5000)
})

test('the approval list is read page by page', async () => {
  const ids = Array.from({ length: 60 }, (_, index) => BigInt(index + 1))
  const chain = chainThat((_name, [offset, limit]) => ids.slice(Number(offset), Number(offset) + Number(limit)))
  expect([...(await readApprovedIds(chain))]).toEqual(ids.map(String))
})
