/** Every provider in the registry, usable or not, with all readable fields. */
import { type Address, bytesToBigInt, bytesToString, type Hex, hexToBytes, parseAbi, size } from 'viem'
import { ChainReverted } from './chain-error.ts'
import type { Chain } from './clients.ts'

export interface ListedProvider {
  readonly id: bigint
  readonly name: string
  readonly description: string
  readonly address: Address
  /** True when the provider and, if it has one, its storage offer are active. */
  readonly isActive: boolean
  /** True when it offers storage with proofs; otherwise the fields below are undefined. */
  readonly hasPdp: boolean
  readonly serviceUrl: string | undefined
  readonly pieceBytesMin: bigint | undefined
  readonly pieceBytesMax: bigint | undefined
  /** 10^-18 of the payment token per TiB and day. */
  readonly storagePrice: bigint | undefined
  readonly location: string | undefined
}

const directoryAbi = parseAbi([
  'struct Info { address serviceProvider; address payee; string name; string description; bool isActive; }',
  'struct Product { uint8 productType; string[] capabilityKeys; bool isActive; }',
  'struct ProviderWithProduct { uint256 providerId; Info providerInfo; Product product; bytes[] productCapabilityValues; }',
  'struct Provider { uint256 providerId; Info info; }',
  'function getProviderCount() view returns (uint256)',
  'function getProvider(uint256 providerId) view returns (Provider)',
  'function getProviderWithProduct(uint256 providerId, uint8 productType) view returns (ProviderWithProduct)',
])

const pdpProductType = 0
/** Per multicall. */
const providersPerPage = 50
const providersMax = 5000
const integerBytesMax = 32

interface Info {
  readonly serviceProvider: Address
  readonly name: string
  readonly description: string
  readonly isActive: boolean
}

interface Offer {
  readonly product: { readonly capabilityKeys: readonly string[]; readonly isActive: boolean }
  readonly productCapabilityValues: readonly Hex[]
}

/** Sorted by ID, at most 5,000. @throws ChainUnreachable */
export async function readProviderDirectory(chain: Chain): Promise<readonly ListedProvider[]> {
  const registry = { address: chain.network.contracts.registry, abi: directoryAbi } as const
  const count = Math.min(Number(await chain.read({ ...registry, functionName: 'getProviderCount' })), providersMax)
  const ids = Array.from({ length: count }, (_, index) => BigInt(index + 1))
  const found: ListedProvider[] = []
  while (ids.length > 0) {
    const page = await Promise.all(ids.splice(0, providersPerPage).map((id) => readProvider(chain, id)))
    found.push(...page.flatMap((provider) => provider ?? []))
  }
  return found
}

async function readProvider(chain: Chain, id: bigint): Promise<ListedProvider | undefined> {
  const registry = { address: chain.network.contracts.registry, abi: directoryAbi } as const
  const offered = await undefinedIfReverted(chain.read({ ...registry, functionName: 'getProviderWithProduct', args: [id, pdpProductType] }))
  if (offered) return describe(id, offered.providerInfo, offered)
  // Some releases of the registry revert for a provider without an offer.
  const known = await undefinedIfReverted(chain.read({ ...registry, functionName: 'getProvider', args: [id] }))
  return known && describe(id, known.info, undefined)
}

async function undefinedIfReverted<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ChainReverted) return undefined
    throw error
  }
}

function describe(id: bigint, { serviceProvider, name, description, isActive }: Info, offer: Offer | undefined): ListedProvider {
  const keys = offer?.product.capabilityKeys ?? []
  const values = new Map(keys.map((key, index) => [key, offer?.productCapabilityValues[index] ?? '0x']))
  return {
    id,
    name,
    description,
    address: serviceProvider,
    isActive: isActive && (keys.length === 0 || offer?.product.isActive === true),
    hasPdp: keys.length > 0,
    serviceUrl: textOf(values.get('serviceURL')),
    pieceBytesMin: integerOf(values.get('minPieceSizeInBytes')),
    pieceBytesMax: integerOf(values.get('maxPieceSizeInBytes')),
    storagePrice: integerOf(values.get('storagePricePerTibPerDay')),
    location: textOf(values.get('location')),
  }
}

const textOf = (value: Hex = '0x'): string | undefined => bytesToString(hexToBytes(value)) || undefined

function integerOf(value: Hex = '0x'): bigint | undefined {
  return value === '0x' || size(value) > integerBytesMax ? undefined : bytesToBigInt(hexToBytes(value))
}
