/** Providers as the registry describes them, and the two lists that recommend some. Reads are at the head. */
import { type Address, bytesToBigInt, bytesToString, getAddress, type Hex, hexToBytes, size, zeroAddress } from 'viem'
import { type ChainPort, revertNameOf } from './chain-port.ts'
import { fwssViewAbi } from './fwss-abi.ts'
import { providerIdSetAbi, registryAbi } from './registry-abi.ts'

export interface RegisteredProvider {
  readonly providerId: bigint
  readonly serviceProvider: Address
  /** Receives the payments; signed into data set creations. */
  readonly payee: Address
  readonly name: string
  readonly description: string
  /** Both the provider and its storage offer are active. */
  readonly isActive: boolean
  readonly serviceUrl: string
  /** The registered minimum is left out: providers register 1 MiB by default and take any piece from 127 bytes. */
  readonly pieceBytesMax: bigint
  /** 10^-18 of the payment token; informative, the service's own price list is what is charged. */
  readonly pricePerTibPerDay: bigint
  readonly provingPeriodEpochsMin: bigint
  /** Free text such as `C=DE;ST=Berlin;L=Berlin`. */
  readonly location: string
  readonly paymentToken: Address
}

export interface ProviderList {
  readonly providers: readonly RegisteredProvider[]
  /** Registered, but described in a way we cannot use. */
  readonly skipped: readonly { readonly providerId: bigint; readonly name: string; readonly reason: string }[]
}

interface RegistryRecord {
  readonly providerId: bigint
  readonly providerInfo: {
    readonly serviceProvider: Address
    readonly payee: Address
    readonly name: string
    readonly description: string
    readonly isActive: boolean
  }
  readonly product: { readonly capabilityKeys: readonly string[]; readonly isActive: boolean }
  readonly productCapabilityValues: readonly Hex[]
}

const pdpProductType = 0
const providersPerPage = 50n
/** 5,000 providers. */
const pagesMax = 100
const serviceUrlCharactersMax = 2048

/** Every provider with a storage offer; `isActiveOnly` leaves out those that withdrew. @throws the chain client's errors */
export async function listProviders(chain: ChainPort, { isActiveOnly = true }: { isActiveOnly?: boolean } = {}): Promise<ProviderList> {
  const providers: RegisteredProvider[] = []
  const skipped: { providerId: bigint; name: string; reason: string }[] = []
  for (let page = 0; page < pagesMax; page++) {
    const args = [pdpProductType, isActiveOnly, BigInt(page) * providersPerPage, providersPerPage] as const
    const address = chain.network.contracts.registry
    const result = await chain.read({ address, abi: registryAbi, functionName: 'getProvidersByProductType', args })
    for (const record of result.providers) {
      const decoded = decodeProvider(record)
      if (typeof decoded === 'string') skipped.push({ providerId: record.providerId, name: record.providerInfo.name, reason: decoded })
      else providers.push(decoded)
    }
    if (!result.hasMore) break
  }
  return { providers, skipped }
}

export type ProviderLookUp =
  | { readonly kind: 'found'; readonly provider: RegisteredProvider }
  | { readonly kind: 'unusable'; readonly reason: string }
  | { readonly kind: 'absent' }

/** One provider, active or not. @throws the chain client's errors */
export async function findProvider(chain: ChainPort, providerId: bigint): Promise<ProviderLookUp> {
  const question = { address: chain.network.contracts.registry, abi: registryAbi } as const
  try {
    const record = await chain.read({ ...question, functionName: 'getProviderWithProduct', args: [providerId, pdpProductType] })
    const decoded = decodeProvider(record)
    return typeof decoded === 'string' ? { kind: 'unusable', reason: decoded } : { kind: 'found', provider: decoded }
  } catch (error) {
    // The registry answers an unknown id, and one without a storage offer, with a text revert.
    if (revertNameOf(error) === 'Error') return { kind: 'absent' }
    throw error
  }
}

/** Ids on the storage service's own approval list. @throws the chain client's errors */
export async function approvedProviderIds(chain: ChainPort): Promise<ReadonlySet<bigint>> {
  const found = new Set<bigint>()
  const address = await chain.warmStorageView()
  for (let page = 0; page < pagesMax; page++) {
    const args = [BigInt(page) * providersPerPage, providersPerPage] as const
    const ids = await chain.read({ address, abi: fwssViewAbi, functionName: 'getApprovedProviders', args })
    for (const id of ids) found.add(id)
    if (BigInt(ids.length) < providersPerPage) break
  }
  return found
}

/** Ids on the endorsement list: preferred for first copies. @throws the chain client's errors */
export async function endorsedProviderIds(chain: ChainPort): Promise<ReadonlySet<bigint>> {
  const address = chain.network.contracts.endorsements
  return new Set(await chain.read({ address, abi: providerIdSetAbi, functionName: 'getProviderIds' }))
}

/** A provider, or the reason why its description is of no use. */
export function decodeProvider(record: RegistryRecord): RegisteredProvider | string {
  const capabilities = new Map(record.product.capabilityKeys.map((key, index) => [key, record.productCapabilityValues[index] ?? '0x']))
  const lacking = requiredCapabilities.filter((key) => (capabilities.get(key) ?? '0x') === '0x')
  if (lacking.length > 0) return `no value for ${lacking.join(', ')}`
  const text = (key: Capability) => bytesToString(hexToBytes(capabilities.get(key) ?? '0x'))
  const number = (key: Capability) => bytesToBigInt(hexToBytes(capabilities.get(key) ?? '0x'))
  const serviceUrl = text('serviceURL')
  const token = addressOf(capabilities.get('paymentTokenAddress') ?? '0x')
  const problem = problemOfUrl(serviceUrl) ?? (token === undefined ? 'paymentTokenAddress is longer than an address' : undefined)
  if (problem !== undefined || token === undefined) return problem ?? ''
  const { serviceProvider, payee, name, description, isActive } = record.providerInfo
  return {
    providerId: record.providerId,
    serviceProvider,
    payee,
    name,
    description,
    isActive: isActive && record.product.isActive,
    serviceUrl,
    pieceBytesMax: number('maxPieceSizeInBytes'),
    pricePerTibPerDay: number('storagePricePerTibPerDay'),
    provingPeriodEpochsMin: number('minProvingPeriodInEpochs'),
    location: text('location'),
    paymentToken: token,
  }
}

const requiredCapabilities = [
  'serviceURL',
  'maxPieceSizeInBytes',
  'storagePricePerTibPerDay',
  'minProvingPeriodInEpochs',
  'location',
  'paymentTokenAddress',
] as const
type Capability = (typeof requiredCapabilities)[number]

function problemOfUrl(url: string): string | undefined {
  if (url.length > serviceUrlCharactersMax || !URL.canParse(url)) return 'serviceURL is not a URL'
  const { protocol } = new URL(url)
  return protocol === 'http:' || protocol === 'https:' ? undefined : `serviceURL begins with ${protocol}`
}

/** Registry values drop leading zero bytes, and may be padded to a word. */
function addressOf(value: Hex): Address | undefined {
  if (size(value) > 32) return undefined
  const digits = value.slice(2).slice(-40).padStart(40, '0')
  return value === '0x' ? zeroAddress : getAddress(`0x${digits}`)
}
