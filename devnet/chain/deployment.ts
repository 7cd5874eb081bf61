// Deploys the contracts, registers providers, and keeps the addresses and ports in a file.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type Address, encodeDeployData, encodeFunctionData, type Hex, numberToHex, parseEther, stringToHex } from 'viem'
import { endorsementsAbi, registryAbi, tokenAbi, warmStorageAbi } from './abis.ts'
import { deployerAccount, providerAccount, userAccount } from './accounts.ts'
import { type ContractName, readArtifacts } from './artifacts.ts'
import { type NetworkVersion, networkVersions } from './network-versions.ts'
import { LOOPBACK, type PortLease } from './port.ts'
import { type AnvilCall, type ChainReader, type ChainSigner, createChainSigner } from './rpc.ts'

/** The same on all chains; the code is set there instead of deployed. */
const MULTICALL3_ADDRESS: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'

/** USER_1 is the gateway's wallet, USER_2 has no tokens. */
export const USER_COUNT = 2
export const USER_FIL = parseEther('1000')
const PROVIDER_FIL = parseEther('10000')
/** The registry's fee; another one reverts. */
const REGISTRATION_FEE = parseEther('5')
/** More than any of these calls uses; saves an estimate of each. */
const CALL_GAS = 10_000_000n
export const USER_1_USDFC = parseEther('10000')

/** Blocks between proving transaction and challenge; the live networks use 10 and 150. */
export const CHALLENGE_FINALITY_EPOCHS = 2n
/** Half of the period is challenge window: each transaction makes an epoch, so epochs can pass fast. */
const WINDOWS_PER_PERIOD = 2

/** Curio's defaults. Its handlers accept pieces of 127 to 1,065,353,216 bytes regardless, and so do ours. */
const REGISTERED_PIECE_BYTES_MIN = 2 ** 20
const REGISTERED_PIECE_BYTES_MAX = 64 * 2 ** 30
export const PRODUCT_PDP = 0

export interface DevnetContracts {
  readonly multicall3: Address
  readonly usdfc: Address
  readonly filecoinPay: Address
  readonly serviceProviderRegistry: Address
  readonly pdpVerifier: Address
  /** The storage service, which is also its view contract. */
  readonly warmStorage: Address
  readonly endorsements: Address
  readonly sessionKeys: Address
}

export interface DeployedProvider {
  readonly providerId: number
  readonly address: Address
  readonly port: number
}

export interface Deployment extends DeploymentTerms {
  readonly runId: string
  readonly chainPort: number
  readonly contracts: DevnetContracts
  readonly providers: readonly DeployedProvider[]
}

export interface DeploymentTerms {
  readonly network: NetworkVersion
  /** The first so many data sets have the old layout of pieces, as those from before the upgrade of a live network. */
  readonly legacyDataSets: number
  readonly provingPeriodEpochs: number
  readonly lockupPeriodEpochs: number
}

/** The parts of the running chain that deployment uses. */
export interface DeployingChain {
  readonly rpcUrl: string
  readonly reader: ChainReader
  readonly anvil: AnvilCall
}

/** A file without a network is of a devnet that was made when there was only one. */
export function readDeployment(path: string): Deployment | undefined {
  return existsSync(path) ? { network: '1.3', legacyDataSets: 0, ...JSON.parse(readFileSync(path, 'utf8')) } : undefined
}

export function writeDeployment(path: string, deployment: Deployment): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(deployment, undefined, 2)}\n`)
  renameSync(`${path}.new`, path)
}

/** Whether the chain has the contracts; a new, empty chain has not. */
export async function isDeployed(reader: ChainReader, contracts: DevnetContracts): Promise<boolean> {
  return (await reader.getCode({ address: contracts.warmStorage })) !== undefined
}

/** Deploys the contracts and gives the users their first money. */
export async function deployContracts(chain: DeployingChain, terms: DeploymentTerms): Promise<DevnetContracts> {
  const { rpcUrl, anvil } = chain
  const { prices, ...network } = networkVersions[terms.network]
  const signer = createChainSigner(rpcUrl, deployerAccount().privateKey)
  const { contracts: artifacts } = readArtifacts()

  async function deploy(name: ContractName, args: readonly unknown[] = []): Promise<Address> {
    const { abi, bytecode } = artifacts[name]
    const receipt = await signer.execute({ data: encodeDeployData({ abi, bytecode, args }) })
    if (!receipt.contractAddress) throw new Error(`${name} has no address after deployment`)
    return receipt.contractAddress
  }

  await anvil('anvil_setCode', [MULTICALL3_ADDRESS, artifacts.Multicall3.runtime])
  const usdfc = await deploy('UsdfcToken')
  const filecoinPay = await deploy('FilecoinPay')
  const serviceProviderRegistry = await deploy('ServiceProviderRegistry')
  const sessionKeys = await deploy('SessionKeys')
  const endorsements = await deploy('Endorsements')
  const compactFromId = network.acceptsOmittedMetadata ? terms.legacyDataSets + 1 : 0
  const pdpVerifier = await deploy('PdpVerifier', [network.pdpVerifier, CHALLENGE_FINALITY_EPOCHS, compactFromId])
  const warmStorage = await deploy('WarmStorage', [
    {
      version: network.warmStorage,
      acceptsOmittedMetadata: network.acceptsOmittedMetadata,
      prices: { ...prices, token: usdfc, lockups: { ...prices.lockups, defaultLockupPeriod: BigInt(terms.lockupPeriodEpochs) } },
      pdpVerifier,
      payments: filecoinPay,
      usdfc,
      filBeamBeneficiary: signer.address,
      registry: serviceProviderRegistry,
      sessionKeys,
      maxProvingPeriod: BigInt(terms.provingPeriodEpochs),
      challengeWindowSize: BigInt(Math.max(1, Math.floor(terms.provingPeriodEpochs / WINDOWS_PER_PERIOD))),
    },
  ])

  for (let position = 1; position <= USER_COUNT; position++) await setBalance(anvil, userAccount(position).address, USER_FIL)
  await mintUsdfc(signer, usdfc, { to: userAccount(1).address, amount: USER_1_USDFC })
  return {
    multicall3: MULTICALL3_ADDRESS,
    usdfc,
    filecoinPay,
    serviceProviderRegistry,
    pdpVerifier,
    warmStorage,
    endorsements,
    sessionKeys,
  }
}

export async function mintUsdfc(
  signer: ChainSigner,
  token: Address,
  { to, amount }: { readonly to: Address; readonly amount: bigint },
): Promise<void> {
  await signer.execute({ to: token, data: encodeFunctionData({ abi: tokenAbi, functionName: 'mint', args: [to, amount] }) })
}

/** Funds, registers, approves and endorses the providers at these positions (from 1, in order), each on a port of its own. */
export async function registerProviders(
  chain: DeployingChain,
  contracts: DevnetContracts,
  { positions, ports }: { readonly positions: readonly number[]; readonly ports: PortLease },
): Promise<DeployedProvider[]> {
  const owner = createChainSigner(chain.rpcUrl, deployerAccount().privateKey)
  const registered: DeployedProvider[] = []
  // One after the other: the registry numbers providers in the order of their registration.
  for (const position of positions) registered.push(await registerProvider(chain, contracts, { position, port: await ports.next() }))
  const calls = registered.flatMap(({ providerId }) => [
    {
      to: contracts.warmStorage,
      data: encodeFunctionData({ abi: warmStorageAbi, functionName: 'addApprovedProvider', args: [BigInt(providerId)] }),
    },
    {
      to: contracts.endorsements,
      data: encodeFunctionData({ abi: endorsementsAbi, functionName: 'addProviderId', args: [BigInt(providerId)] }),
    },
  ])
  await Promise.all(calls.map((call) => owner.execute({ ...call, gas: CALL_GAS })))
  return registered
}

async function registerProvider(
  chain: DeployingChain,
  contracts: DevnetContracts,
  { position, port }: { readonly position: number; readonly port: number },
): Promise<DeployedProvider> {
  const provider = createChainSigner(chain.rpcUrl, providerAccount(position).privateKey)
  await setBalance(chain.anvil, provider.address, PROVIDER_FIL)
  const capabilities = describeCapabilities(serviceUrlOf(port), contracts.usdfc)
  await provider.execute({
    to: contracts.serviceProviderRegistry,
    value: REGISTRATION_FEE,
    gas: CALL_GAS,
    data: encodeFunctionData({
      abi: registryAbi,
      functionName: 'registerProvider',
      args: [
        provider.address,
        `devnet-provider-${position}`,
        'Simulated storage provider of the svc devnet',
        PRODUCT_PDP,
        Object.keys(capabilities),
        Object.values(capabilities),
      ],
    }),
  })
  return { providerId: position, address: provider.address, port }
}

export const serviceUrlOf = (port: number) => `http://${LOOPBACK}:${port}`

/** Encodes for the registry: text in UTF-8, numbers big-endian without leading zeros. */
export function describeCapabilities(serviceUrl: string, usdfc: Address): Record<string, Hex> {
  return {
    serviceURL: stringToHex(serviceUrl),
    minPieceSizeInBytes: wholeBytes(REGISTERED_PIECE_BYTES_MIN),
    maxPieceSizeInBytes: wholeBytes(REGISTERED_PIECE_BYTES_MAX),
    storagePricePerTibPerDay: wholeBytes(83_333_333_333_333_333n),
    minProvingPeriodInEpochs: wholeBytes(30),
    location: stringToHex('C=XX;ST=Local;L=Devnet'),
    paymentTokenAddress: usdfc,
  }
}

function wholeBytes(value: number | bigint): Hex {
  const hex = numberToHex(value)
  return hex.length % 2 === 0 ? hex : `0x0${hex.slice(2)}`
}

export async function setBalance(anvil: AnvilCall, address: Address, amount: bigint): Promise<void> {
  await anvil('anvil_setBalance', [address, numberToHex(amount)])
}
