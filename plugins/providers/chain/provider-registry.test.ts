import { type Hex, numberToHex, stringToHex } from 'viem'
import { expect, test } from 'vitest'
import type { ChainPort } from './chain-port.ts'
import { approvedProviderIds, decodeProvider, findProvider, listProviders } from './provider-registry.ts'

const token = '0x80B98d3aa09ffff255c3ba4A241111Ff1262F045'
const sp = '0x00000000000000000000000000000000000000aA'
const usual: Record<string, Hex> = {
  serviceURL: stringToHex('https://sp.example/base'),
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

test('a provider is decoded from its capabilities', () => {
  expect(decodeProvider(record())).toEqual({
    providerId: 1n,
    serviceProvider: sp,
    payee: sp,
    name: 'sp 1',
    description: '',
    isActive: true,
    serviceUrl: 'https://sp.example/base',
    pieceBytesMax: 1_065_353_216n,
    pricePerTibPerDay: 83_333_333_333_333_333n,
    provingPeriodEpochsMin: 30n,
    location: 'C=DE;L=Berlin',
    paymentToken: token,
  })
})

test('an address padded to 32 bytes is decoded', () => {
  expect(decodeProvider(record({ paymentTokenAddress: `0x${'0'.repeat(24)}${token.slice(2)}` }))).toMatchObject({ paymentToken: token })
})

test.each([
  [{ serviceURL: undefined }, 'no value for serviceURL'],
  [{ location: '0x' as const, maxPieceSizeInBytes: undefined }, 'no value for maxPieceSizeInBytes, location'],
  [{ serviceURL: stringToHex('not a url') }, 'serviceURL is not a URL'],
  [{ serviceURL: stringToHex('https://provider.example\0') }, 'serviceURL is not a URL'],
  [{ serviceURL: stringToHex('ftp://sp.example/') }, 'serviceURL has the protocol ftp:, not http: or https:'],
  [{ paymentTokenAddress: `0x${'11'.repeat(33)}` as const }, 'paymentTokenAddress is longer than an address'],
])('a provider with %o is unusable: %s', (changes, reason) => {
  expect(decodeProvider(record(changes))).toBe(reason)
})

test('a provider with an inactive storage offer is inactive', () => {
  const withdrawn = record()
  expect(decodeProvider({ ...withdrawn, product: { ...withdrawn.product, isActive: false } })).toMatchObject({ isActive: false })
})

/** A chain whose contract reads are answered by `answer`. */
function chainThat(answer: (functionName: string, args: readonly unknown[]) => unknown): ChainPort {
  const read = async (call: { functionName: string; args?: readonly unknown[] }) => answer(call.functionName, call.args ?? [])
  return {
    network: { contracts: { registry: sp } },
    read,
    warmStorageView: async () => sp,
  } as unknown as ChainPort
}

test('all pages are read, and unusable providers are listed with the reason', async () => {
  const chain = chainThat((_name, [, , offset]) => ({
    providers: offset === 0n ? [record({}, 1n), record({ serviceURL: undefined }, 2n)] : [record({}, 51n)],
    hasMore: offset === 0n,
  }))
  const { providers, skipped } = await listProviders(chain)
  expect(providers.map(({ providerId }) => providerId)).toEqual([1n, 51n])
  expect(skipped).toEqual([{ providerId: 2n, name: 'sp 2', reason: 'no value for serviceURL' }])
})

test('a text revert of the registry means that the provider does not exist; other errors are rethrown', async () => {
  const failing = (fields: object) =>
    chainThat(() => {
      throw Object.assign(new Error('refused'), fields)
    })
  expect(await findProvider(failing({ code: 'chain_reverted', errorName: 'Error' }), 9n)).toEqual({ kind: 'absent' })
  await expect(findProvider(failing({ code: 'chain_unreachable' }), 9n)).rejects.toThrow('refused')
  expect(
    await findProvider(
      chainThat(() => record({ location: undefined })),
      1n,
    ),
  ).toEqual({ kind: 'unusable', reason: 'no value for location' })
  expect(
    await findProvider(
      chainThat(() => record()),
      1n,
    ),
  ).toMatchObject({ kind: 'found', provider: { providerId: 1n } })
})

test('the approval list is read page by page', async () => {
  const ids = Array.from({ length: 60 }, (_, index) => BigInt(index + 1))
  const chain = chainThat((_name, [offset, limit]) => ids.slice(Number(offset), Number(offset) + Number(limit)))
  expect([...(await approvedProviderIds(chain))]).toEqual(ids)
})
