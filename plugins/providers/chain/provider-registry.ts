/** Reads the provider registry, the approval list and the endorsement list, at the head of the chain. */
import { type Address, bytesToBigInt, bytesToString, getAddress, type Hex, hexToBytes, size, zeroAddress } from 'viem'
import { type ChainPort, revertNameOf } from './chain-port.ts'
import { fwssViewAbi } from './fwss-abi.ts'
import { providerIdSetAbi, registryAbi } from './registry-abi.ts'

export interface RegisteredProvider {
  readonly providerId: bigint
  readonly serviceProvider: Address
  /** Address that receives the payments; part of the signed data set creation. */
  readonly payee: Address
  readonly name: string
  readonly description: string
  /** True if both the provider and its storage offer are active. */
  readonly isActive: boolean
  readonly serviceUrl: string
  /** There is no minimum here: providers register 1 MiB by default but accept any piece from 127 bytes. */
  readonly pieceBytesMax: bigint
  /** In 10^-18 of the payment token. For information only: FWSS charges by its own price list. */
  readonly pricePerTibPerDay: bigint
  readonly provingPeriodEpochsMin: bigint
  /** Free text such as `C=DE;ST=Berlin;L=Berlin`. */
  readonly location: string
  readonly paymentToken: Address
}

interface ProviderList {
  readonly providers: readonly RegisteredProvider[]
  /** Registered providers whose record is unusable, with the reason. */
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
/** At most 5,000 providers. */
const pagesMax = 100
const serviceUrlCharactersMax = 2048

/** All providers with a storage offer; by default only active ones. @throws the chain client's errors */
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

type ProviderLookup =
  | { readonly kind: 'found'; readonly provider: RegisteredProvider }
  | { readonly kind: 'unusable'; readonly reason: string }
  | { readonly kind: 'absent' }

/** One provider, active or not. @throws the chain client's errors */
export async function findProvider(chain: ChainPort, providerId: bigint): Promise<ProviderLookup> {
  const contract = { address: chain.network.contracts.registry, abi: registryAbi } as const
  try {
    const record = await chain.read({ ...contract, functionName: 'getProviderWithProduct', args: [providerId, pdpProductType] })
    const decoded = decodeProvider(record)
    return typeof decoded === 'string' ? { kind: 'unusable', reason: decoded } : { kind: 'found', provider: decoded }
  } catch (error) {
    // The registry reverts with a text for an unknown id and for a provider without a storage offer.
    if (revertNameOf(error) === 'Error') return { kind: 'absent' }
    throw error
  }
}

/** Provider ids on the approval list of FWSS. @throws the chain client's errors */
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

/** Provider ids on the endorsement list, which are preferred for first copies. @throws the chain client's errors */
export async function endorsedProviderIds(chain: ChainPort): Promise<ReadonlySet<bigint>> {
  const address = chain.network.contracts.endorsements
  return new Set(await chain.read({ address, abi: providerIdSetAbi, functionName: 'getProviderIds' }))
}

/** Decodes a registry record. Returns a string, the reason, if the record is unusable. */
export function decodeProvider(record: RegistryRecord): RegisteredProvider | string {
  const capabilities = new Map(record.product.capabilityKeys.map((key, index) => [key, record.productCapabilityValues[index] ?? '0x']))
  const missing = requiredCapabilities.filter((key) => (capabilities.get(key) ?? '0x') === '0x')
  if (missing.length > 0) return `no value for ${missing.join(', ')}`
  const text = (key: Capability) => bytesToString(hexToBytes(capabilities.get(key) ?? '0x'))
  const number = (key: Capability) => bytesToBigInt(hexToBytes(capabilities.get(key) ?? '0x'))
  const serviceUrl = text('serviceURL')
  const token = addressOf(capabilities.get('paymentTokenAddress') ?? '0x')
  const problem = urlProblem(serviceUrl) ?? (token === undefined ? 'paymentTokenAddress is longer than an address' : undefined)
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

function urlProblem(url: string): string | undefined {
  // URL removes control characters silently, and PostgreSQL stores no NUL.
  const hasControl = Array.from(url).some((character) => character < ' ')
  if (url.length > serviceUrlCharactersMax || hasControl || !URL.canParse(url)) return 'serviceURL is not a URL'
  const { protocol } = new URL(url)
  return protocol === 'http:' || protocol === 'https:' ? undefined : `serviceURL has the protocol ${protocol}, not http: or https:`
}

/** Decodes an address: registry values may lack leading zero bytes or be padded to 32 bytes. */
function addressOf(value: Hex): Address | undefined {
  if (size(value) > 32) return undefined
  const digits = value.slice(2).slice(-40).padStart(40, '0')
  return value === '0x' ? zeroAddress : getAddress(`0x${digits}`)
}
