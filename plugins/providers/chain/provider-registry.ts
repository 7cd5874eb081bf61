/** Reads the provider registry, the approval list and the endorsement list, at the head of the chain. All reads reject with the chain client's errors. */
import { type Address, bytesToBigInt, bytesToString, type Hex, hexToBytes, size } from 'viem'
import { type ChainPort, isReverted } from './chain-port.ts'
import { fwssViewAbi } from './fwss-abi.ts'
import { providerIdSetAbi, registryAbi } from './registry-abi.ts'

/** A provider with all readable fields, usable or not. */
export interface RegisteredProvider {
  readonly providerId: string
  readonly address: Address
  /** Address that receives the payments; part of the signed data set creation. */
  readonly payee: Address
  readonly name: string
  readonly description: string
  /** True when the provider and, if it has one, its storage offer are active. */
  readonly isActive: boolean
  /** True when it offers storage with proofs; otherwise the fields of the offer are undefined. */
  readonly hasPdp: boolean
  readonly serviceUrl: string | undefined
  /** For information only: providers register 1 MiB by default but accept any piece from 127 bytes. */
  readonly pieceBytesMin: bigint | undefined
  readonly pieceBytesMax: bigint | undefined
  /** 10^-18 of the payment token per TiB and day. For information only: FWSS charges by its own price list. */
  readonly storagePrice: bigint | undefined
  /** Free text such as `C=DE;ST=Berlin;L=Berlin`. */
  readonly location: string | undefined
  /** Further capabilities as texts, at most 16. */
  readonly extraCapabilities: Readonly<Record<string, string>>
  /** Why its record cannot be used for data sets; undefined when it can. */
  readonly problem: string | undefined
}

interface Info {
  readonly serviceProvider: Address
  readonly payee: Address
  readonly name: string
  readonly description: string
  readonly isActive: boolean
}

interface Offer {
  readonly product: { readonly capabilityKeys: readonly string[]; readonly isActive: boolean }
  readonly productCapabilityValues: readonly Hex[]
}

const pdpProductType = 0
/** Sent together, as few requests. */
const providersPerPage = 50
export const providersMax = 5000
const serviceUrlCharactersMax = 2048
/** Limits every other text: what a hostile node sends must not add up over thousands of providers. */
const textCharactersMax = 500
const integerBytesMax = 32
const addressBytesMax = 32

/** Every registered provider by ascending id, at most 5,000. */
export async function readRegistry(chain: ChainPort): Promise<readonly RegisteredProvider[]> {
  const registry = { address: chain.network.contracts.registry, abi: registryAbi } as const
  const count = Math.min(Number(await chain.read({ ...registry, functionName: 'getProviderCount' })), providersMax)
  const ids = Array.from({ length: count }, (_, index) => String(index + 1))
  const found: RegisteredProvider[] = []
  while (ids.length > 0) {
    const page = await Promise.all(ids.splice(0, providersPerPage).map((id) => readProvider(chain, id)))
    found.push(...page.flatMap((provider) => provider ?? []))
  }
  return found
}

/** One provider; undefined when the registry has no such id. */
export async function readProvider(chain: ChainPort, providerId: string): Promise<RegisteredProvider | undefined> {
  const registry = { address: chain.network.contracts.registry, abi: registryAbi } as const
  const id = BigInt(providerId)
  const offered = await undefinedIfReverted(chain.read({ ...registry, functionName: 'getProviderWithProduct', args: [id, pdpProductType] }))
  if (offered) return decodeProvider(providerId, offered.providerInfo, offered)
  // Some releases of the registry revert for a provider without an offer.
  const known = await undefinedIfReverted(chain.read({ ...registry, functionName: 'getProvider', args: [id] }))
  return known && decodeProvider(providerId, known.info, undefined)
}

async function undefinedIfReverted<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isReverted(error)) return undefined
    throw error
  }
}

/** Provider ids on the approval list of FWSS. */
export async function readApprovedIds(chain: ChainPort): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const address = await chain.warmStorageView()
  for (let offset = 0; offset < providersMax; offset += providersPerPage) {
    const args = [BigInt(offset), BigInt(providersPerPage)] as const
    const ids = await chain.read({ address, abi: fwssViewAbi, functionName: 'getApprovedProviders', args })
    for (const id of ids.slice(0, providersPerPage)) found.add(String(id))
    if (ids.length < providersPerPage) break
  }
  return found
}

/** Provider ids on the endorsement list, which are preferred for first copies. */
export async function readEndorsedIds(chain: ChainPort): Promise<ReadonlySet<string>> {
  const address = chain.network.contracts.endorsements
  const ids = await chain.read({ address, abi: providerIdSetAbi, functionName: 'getProviderIds' })
  return new Set(ids.slice(0, providersMax).map(String))
}

const extraCapabilitiesMax = 16

const requiredCapabilities = [
  'serviceURL',
  'maxPieceSizeInBytes',
  'storagePricePerTibPerDay',
  'minProvingPeriodInEpochs',
  'location',
  'paymentTokenAddress',
] as const

const knownCapabilities: ReadonlySet<string> = new Set([...requiredCapabilities, 'minPieceSizeInBytes'])

function decodeProvider(providerId: string, info: Info, offer: Offer | undefined): RegisteredProvider {
  const keys = offer?.product.capabilityKeys ?? []
  const values = new Map(keys.map((key, index) => [key, offer?.productCapabilityValues[index] ?? '0x']))
  const serviceUrl = textOf(values.get('serviceURL'))
  const location = textOf(values.get('location'))
  const { serviceProvider: address, payee, isActive } = info
  return {
    providerId,
    address,
    payee,
    name: shorten(info.name),
    description: shorten(info.description),
    isActive: isActive && (keys.length === 0 || offer?.product.isActive === true),
    hasPdp: keys.length > 0,
    serviceUrl: serviceUrl === undefined ? undefined : shorten(serviceUrl, serviceUrlCharactersMax + 1),
    pieceBytesMin: integerOf(values.get('minPieceSizeInBytes')),
    pieceBytesMax: integerOf(values.get('maxPieceSizeInBytes')),
    storagePrice: integerOf(values.get('storagePricePerTibPerDay')),
    location: location === undefined ? undefined : shorten(location),
    extraCapabilities: Object.fromEntries(
      [...values]
        .filter(([key]) => !knownCapabilities.has(key))
        .slice(0, extraCapabilitiesMax)
        .map(([key, value]) => [shorten(key), shorten(textOf(value) ?? '')]),
    ),
    problem: problemOf(values, serviceUrl ?? ''),
  }
}

/** A copy: a slice would keep the whole text in memory. */
const shorten = (text: string, charactersMax = textCharactersMax): string =>
  text.length <= charactersMax ? text : Buffer.from(text.slice(0, charactersMax)).toString()

function problemOf(values: ReadonlyMap<string, Hex>, serviceUrl: string): string | undefined {
  if (values.size === 0) return 'no storage offer'
  const missing = requiredCapabilities.filter((key) => (values.get(key) ?? '0x') === '0x')
  if (missing.length > 0) return `no value for ${missing.join(', ')}`
  if (integerOf(values.get('maxPieceSizeInBytes')) === undefined) return 'maxPieceSizeInBytes is longer than an integer'
  if (size(values.get('paymentTokenAddress') ?? '0x') > addressBytesMax) return 'paymentTokenAddress is longer than an address'
  return urlProblem(serviceUrl)
}

function urlProblem(url: string): string | undefined {
  // URL removes control characters silently, and PostgreSQL stores no NUL.
  const hasControl = Array.from(url).some((character) => character < ' ')
  if (url.length > serviceUrlCharactersMax || hasControl || !URL.canParse(url)) return 'serviceURL is not a URL'
  const { protocol } = new URL(url)
  return protocol === 'http:' || protocol === 'https:' ? undefined : `serviceURL has the protocol ${protocol}, not http: or https:`
}

const textOf = (value: Hex = '0x'): string | undefined => bytesToString(hexToBytes(value)) || undefined

function integerOf(value: Hex = '0x'): bigint | undefined {
  return value === '0x' || size(value) > integerBytesMax ? undefined : bytesToBigInt(hexToBytes(value))
}
