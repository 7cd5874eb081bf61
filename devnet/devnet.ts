// Starts a storage network on this machine: a chain with the contracts, and simulated providers, in one directory.
import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Address, decodeAbiParameters, type Hex } from 'viem'
import { type DevnetAccount, providerAccount, userAccount } from './chain/accounts.ts'
import { type Anvil, startAnvil } from './chain/anvil.ts'
import { type ChainControl, SETTLING_BLOCKS, startChainControl } from './chain/chain-control.ts'
import { openChainEvents } from './chain/chain-events.ts'
import {
  type DeployingChain,
  type Deployment,
  type DeploymentTerms,
  type DevnetContracts,
  deployContracts,
  isDeployed,
  readDeployment,
  registerProviders,
  USER_COUNT,
  writeDeployment,
} from './chain/deployment.ts'
import { watchHead } from './chain/head-watch.ts'
import { defaultNetwork, type NetworkVersion, networkVersions } from './chain/network-versions.ts'
import { createPatientTransactions } from './chain/patient-transactions.ts'
import { leasePorts, type PortLease } from './chain/port.ts'
import { createAnvilCall, createChainReader } from './chain/rpc.ts'
import { restoreSnapshot, snapshotDir, storeSnapshot } from './chain/snapshot.ts'
import { createDevnetCalls } from './devnet-calls.ts'
import { type DevnetInfo, type DevnetUser, describeDevnet, writeDevnetInfo } from './devnet-info.ts'
import { createProvider, type SimulatedProvider } from './provider/provider.ts'
import type { ProviderSettings } from './provider/settings.ts'

const DEFAULT_PROVIDERS = 5
const PROVIDERS_MAX = 50
const DEFAULT_BLOCK_TIME_SECONDS = 1
const BLOCK_TIME_SECONDS_MAX = 3600
const DEFAULT_PROVING_PERIOD_EPOCHS = 20
/** A shorter period has no room for a challenge and its proof; the verifier refuses the delay of a longer one. */
const PROVING_PERIOD_EPOCHS_MIN = 10
const PROVING_PERIOD_EPOCHS_MAX = 40_000
/** The lockup period of the live networks: 30 days of 30-second epochs. */
const DEFAULT_LOCKUP_PERIOD_EPOCHS = 86_400
const LOCKUP_PERIOD_EPOCHS_MAX = 10_000_000
const LEGACY_DATA_SETS_MAX = 100_000

export interface DevnetOptions {
  /** Contains all data. An existing devnet continues where it stopped. */
  readonly dir: string
  /** Minimum number; default 5. */
  readonly providers?: number
  /** Interval of regular blocks. With 0, only transactions of clients and `chain.mine` make blocks, and proofs wait for those. */
  readonly blockTimeSeconds?: number
  /** Used in a new directory only, like the next three. Default: that of the live networks. */
  readonly network?: NetworkVersion
  /** The first so many data sets have the old layout of pieces. */
  readonly legacyDataSets?: number
  readonly provingPeriodEpochs?: number
  readonly lockupPeriodEpochs?: number
  readonly providerSettings?: Partial<ProviderSettings>
  /** Keeps nothing: the directory is deleted at the end, also when this process is killed. */
  readonly isTemporary?: boolean
  readonly log?: (line: string) => void
}

/** An addPieces transaction that a provider broadcast, with any outcome. */
export interface AddPiecesTransaction {
  readonly providerId: number
  readonly hash: Hex
  /** Is undefined until the data set that it creates is known. */
  readonly dataSetId: number | undefined
  readonly nonce: bigint
  readonly pieceCids: readonly string[]
  readonly status: string
  readonly ok: boolean | null
}

export interface Devnet extends AsyncDisposable {
  readonly info: DevnetInfo
  readonly infoPath: string
  readonly rpcUrl: string
  /** USER_1 is the gateway's wallet: 1,000 FIL and 10,000 USDFC, nothing deposited. USER_2 has FIL only. */
  readonly users: readonly DevnetUser[]
  readonly contracts: DevnetContracts
  readonly network: NetworkVersion
  readonly providers: readonly SimulatedProvider[]
  readonly chain: ChainControl
  /** The bytes of a piece that the provider at this position (from 0) stores. */
  readPiece(providerIndex: number, pieceCid: string): Promise<Buffer>
  /** The chain's record of a nonce: data set id, plus the next piece id in the upper 128 bits; 0 = unused. */
  clientNonce(payer: Address, nonce: bigint): Promise<bigint>
  pieceLive(dataSetId: number | bigint, pieceId: number | bigint): Promise<boolean>
  /** Returns undefined for an unknown or removed piece. The data set must be live. */
  pieceCid(dataSetId: number | bigint, pieceId: number | bigint): Promise<string | undefined>
  payerOf(dataSetId: number): Promise<Address>
  /** Lists those of all running providers, oldest first. */
  addPiecesTransactions(): readonly AddPiecesTransaction[]
  mintUsdfc(address: Address, amount: bigint): Promise<void>
  /** Deposits into the key's own FilecoinPay account. */
  depositFor(privateKey: Hex, amount: bigint): Promise<void>
  /** Approves the storage service without limits. */
  approveFwss(privateKey: Hex): Promise<void>
  /** A new key with the money of USER_1. */
  createWallet(): Promise<DevnetAccount>
}

interface DevnetChain extends DeployingChain {
  readonly deployment: Deployment
}

/** @throws PortTakenError when a port that this directory used before is taken */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const { blockTimeSeconds = DEFAULT_BLOCK_TIME_SECONDS, log = () => undefined } = options
  const dir = resolve(options.dir)
  requireOptions(options)
  const startedAt = new Date()
  await using stack = new AsyncDisposableStack()
  const chain = await startChain({ ...options, dir, log }, stack)
  const { rpcUrl, deployment, anvil, reader } = chain
  const events = stack.use(await openChainEvents(rpcUrl, log))
  const head = stack.use(watchHead(anvil, events, log))
  const patient = createPatientTransactions()
  const control = stack.use(await startChainControl(anvil, { events, blockTimeSeconds, patient, log }))

  const providers = deployment.providers.map((deployed) =>
    createProvider({
      deployed,
      privateKey: providerAccount(deployed.providerId).privateKey,
      chain: { rpcUrl, reader, head, patient, contracts: deployment.contracts, network: deployment.network },
      dir: join(dir, 'providers', String(deployed.providerId)),
      settings: { ...networkVersions[deployment.network].providers, ...options.providerSettings },
      log,
    }),
  )
  for (const provider of providers) stack.use(provider)
  await Promise.all(providers.map((provider) => provider.start()))

  const users = Array.from({ length: USER_COUNT }, (_, index) => ({ name: `USER_${index + 1}`, ...userAccount(index + 1) }))
  const infoPath = join(dir, 'devnet-info.json')
  const block = await reader.getBlock()
  const genesisTimestamp = Number(block.timestamp) - Number(block.number) * blockTimeSeconds
  const info = await describeDevnet({ deployment, users, rpcUrl, genesisTimestamp, blockTimeSeconds, startedAt })
  writeDevnetInfo(infoPath, info)
  const disposal = stack.move()
  return {
    ...{ info, infoPath, rpcUrl, users, providers, chain: control, contracts: deployment.contracts, network: deployment.network },
    ...createDevnetCalls(chain, deployment.contracts),
    readPiece(providerIndex, pieceCid) {
      const path = providers[providerIndex]?.findPieceFile(pieceCid)
      if (path === undefined) throw new Error(`provider at position ${providerIndex} does not have ${pieceCid}`)
      return readFile(path)
    },
    addPiecesTransactions: () => providers.flatMap(listAddPieces),
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}

function requireOptions({ providers, blockTimeSeconds, ...terms }: DevnetOptions): void {
  const { legacyDataSets, provingPeriodEpochs, lockupPeriodEpochs } = terms
  requireRange('providers', providers, [1, PROVIDERS_MAX])
  requireRange('legacyDataSets', legacyDataSets, [0, LEGACY_DATA_SETS_MAX])
  requireRange('blockTimeSeconds', blockTimeSeconds, [0, BLOCK_TIME_SECONDS_MAX])
  requireRange('provingPeriodEpochs', provingPeriodEpochs, [PROVING_PERIOD_EPOCHS_MIN, PROVING_PERIOD_EPOCHS_MAX])
  requireRange('lockupPeriodEpochs', lockupPeriodEpochs, [1, LOCKUP_PERIOD_EPOCHS_MAX])
}

function requireRange(name: string, value: number | undefined, [min, max]: readonly [number, number]): void {
  // This form refuses NaN too.
  if (value !== undefined && !(value >= min && value <= max)) throw new RangeError(`${name} is ${value}; expected ${min} to ${max}`)
}

async function startChain(
  options: DevnetOptions & { readonly log: (line: string) => void },
  stack: AsyncDisposableStack,
): Promise<DevnetChain> {
  const { dir, isTemporary, log } = options
  const chainDir = join(dir, 'chain')
  const deploymentPath = join(dir, 'deployment.json')
  mkdirSync(dir, { recursive: true })
  if (isTemporary) stack.defer(() => rmSync(dir, { recursive: true, force: true }))
  const known = readDeployment(deploymentPath)
  // Files without a finished deployment are left from a start that failed.
  if (!known) discardRuns(dir)
  const terms = known ?? termsOf(options)
  const restored = known ? undefined : restoreSnapshot(snapshotDir(terms), chainDir)
  const ports = stack.use(await leasePorts(known && [known.chainPort, ...known.providers.map(({ port }) => port)]))
  const chainPort = known?.chainPort ?? (await ports.next())
  const running = await startAnvil({ dir: chainDir, port: chainPort, discard: isTemporary ? dir : undefined, log })
  stack.defer(() => running.stop())
  const chain = connect(running)
  if (known && !(await isDeployed(chain.reader, known.contracts))) {
    throw new Error(`the chain in ${dir} has lost its contracts; delete the folder to start a new devnet`)
  }
  const contracts = known?.contracts ?? restored ?? (await deployNew(chain, terms, log))
  const deployed = known ?? { runId: randomUUID(), chainPort, ...terms, contracts, providers: [] }
  const deployment = await completeDeployment(chain, deployed, ports, options.providers)
  writeDeployment(deploymentPath, deployment)
  // The file has no recent states; clients that read a few blocks back need some.
  await chain.anvil('anvil_mine', [`0x${SETTLING_BLOCKS.toString(16)}`])
  return { ...chain, deployment }
}

function connect({ rpcUrl }: Anvil): DeployingChain {
  return { rpcUrl, anvil: createAnvilCall(rpcUrl), reader: createChainReader(rpcUrl) }
}

function discardRuns(dir: string): void {
  for (const name of ['chain', 'providers']) rmSync(join(dir, name), { recursive: true, force: true })
}

const termsOf = ({ network, legacyDataSets, provingPeriodEpochs, lockupPeriodEpochs }: DevnetOptions): DeploymentTerms => ({
  network: network ?? defaultNetwork(),
  legacyDataSets: legacyDataSets ?? 0,
  provingPeriodEpochs: provingPeriodEpochs ?? DEFAULT_PROVING_PERIOD_EPOCHS,
  lockupPeriodEpochs: lockupPeriodEpochs ?? DEFAULT_LOCKUP_PERIOD_EPOCHS,
})

async function deployNew(chain: DeployingChain, terms: DeploymentTerms, log: (line: string) => void): Promise<DevnetContracts> {
  const contracts = await deployContracts(chain, terms)
  await storeSnapshot(snapshotDir(terms), chain.anvil, contracts).catch((error) => {
    // A read-only installation, for example: its devnets deploy each time.
    log(`snapshot of the new chain not stored: ${error}`)
  })
  return contracts
}

async function completeDeployment(
  chain: DeployingChain,
  deployment: Deployment,
  ports: PortLease,
  wanted = DEFAULT_PROVIDERS,
): Promise<Deployment> {
  const count = deployment.providers.length
  const positions = Array.from({ length: Math.max(0, wanted - count) }, (_, index) => count + index + 1)
  const added = await registerProviders(chain, deployment.contracts, { positions, ports })
  return { ...deployment, providers: [...deployment.providers, ...added] }
}

function listAddPieces(provider: SimulatedProvider): AddPiecesTransaction[] {
  return provider
    .transactions()
    .filter(({ kind }) => kind === 'add' || kind === 'create_and_add')
    .map(({ hash, kind, dataSetId, extraData, pieceCids, status, ok }) => ({
      providerId: provider.providerId,
      hash,
      dataSetId,
      nonce: readNonce(kind === 'add' ? extraData : innerExtraData(extraData)),
      pieceCids,
      status,
      ok,
    }))
}

const readNonce = (extraData: Hex) => decodeAbiParameters([{ type: 'uint256' }], extraData)[0]

const innerExtraData = (extraData: Hex) => decodeAbiParameters([{ type: 'bytes' }, { type: 'bytes' }], extraData)[1]
