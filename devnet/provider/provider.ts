// One simulated storage provider: HTTP API, directory of pieces, key, proving.
import { mkdirSync } from 'node:fs'
import type { Address, Hex } from 'viem'
import { type DeployedProvider, serviceUrlOf } from '../chain/deployment.ts'
import { createChainSigner } from '../chain/rpc.ts'
import { createFaultBox, type FaultBox } from '../faults.ts'
import { runChores, runProving } from './chores.ts'
import type { ProviderChain, ProviderContext } from './context.ts'
import { dataSetRoutes } from './data-sets.ts'
import { createProviderServer, named, type ProviderServer, type RouteGroup } from './http-server.ts'
import { openLedger, type TransactionRecord } from './ledger.ts'
import { createOffenceGuard } from './offence-guard.ts'
import { openPieceStore } from './piece-store.ts'
import { createPuller, type Puller } from './pulls.ts'
import { retrievalRoutes } from './retrieval.ts'
import { createCounters, defaultSettings, type ProviderCounters, type ProviderSettings } from './settings.ts'
import { terminationRoutes } from './terminations.ts'
import { createTransactionLog } from './transactions.ts'
import { uploadRoutes } from './uploads.ts'

export interface SimulatedProvider extends AsyncDisposable {
  readonly providerId: number
  readonly url: string
  readonly address: Address
  readonly faults: FaultBox
  readonly counters: ProviderCounters
  /** May be changed at any time. */
  readonly settings: ProviderSettings
  /** Stops everything but keeps the data; `start` continues from the directory. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Every transaction it broadcast, oldest first. */
  transactions(): readonly TransactionRecord[]
  /** Ends proving for the payer's data sets. */
  abandon(payer: Address): void
  /** Deletes the bytes of one piece, or of all unclaimed pieces. */
  collectGarbage(pieceCid?: string): void
  /** Path of the piece's file; undefined when the provider does not store the piece. */
  findPieceFile(pieceCid: string): string | undefined
}

interface ProviderOptions {
  readonly deployed: DeployedProvider
  readonly privateKey: Hex
  readonly chain: ProviderChain
  readonly dir: string
  readonly settings?: Partial<ProviderSettings>
  readonly log: (line: string) => void
}

/** The parts that exist between `start` and `stop`. */
interface RunningParts extends AsyncDisposable {
  readonly context: ProviderContext
}

export function createProvider(options: ProviderOptions): SimulatedProvider {
  const { deployed, dir } = options
  const faults = createFaultBox()
  const counters = createCounters()
  const settings = { ...defaultSettings(), ...options.settings }
  const abandonedPayers = new Set<string>()
  mkdirSync(dir, { recursive: true })
  let running: RunningParts | undefined

  function requireRunning(): ProviderContext {
    if (!running) throw new Error(`provider ${deployed.providerId} is stopped`)
    return running.context
  }

  async function stop(): Promise<void> {
    const stopping = running
    running = undefined
    await stopping?.[Symbol.asyncDispose]()
  }

  return {
    providerId: deployed.providerId,
    url: serviceUrlOf(deployed.port),
    address: deployed.address,
    faults,
    counters,
    settings,
    stop,
    async start() {
      running ??= await startParts(options, { faults, counters, settings, abandonedPayers })
    },
    transactions: () => Object.values(requireRunning().ledger.state.transactions),
    abandon: (payer) => void abandonedPayers.add(payer.toLowerCase()),
    collectGarbage(pieceCid) {
      const { pieces } = requireRunning()
      for (const name of pieceCid === undefined ? pieces.listUnclaimed(0) : [pieceCid]) pieces.remove(name)
    },
    findPieceFile: (pieceCid) => requireRunning().pieces.find(pieceCid)?.path,
    [Symbol.asyncDispose]: stop,
  }
}

async function startParts(
  { deployed, privateKey, chain, dir, log }: ProviderOptions,
  shared: Pick<ProviderContext, 'faults' | 'counters' | 'settings' | 'abandonedPayers'>,
): Promise<RunningParts> {
  const { providerId, port } = deployed
  await using stack = new AsyncDisposableStack()
  const ending = new AbortController()
  const ledger = stack.use(openLedger(dir))
  const core = {
    ...shared,
    providerId,
    chain,
    ledger,
    signer: createChainSigner(chain.rpcUrl, privateKey, { signal: ending.signal, patient: chain.patient }),
    pieces: openPieceStore(dir),
    log: (line: string) => log(`provider ${providerId}: ${line}`),
  }
  const context: ProviderContext = { ...core, transactions: stack.use(createTransactionLog(core)) }
  const puller = stack.use(createPuller(context))
  const server = await createProviderServer({ ...shared, port, groups: routesOf(context, puller), log: context.log })
  stack.defer(() => server.close())
  stack.use(runChores(context))
  stack.use(runProving(context))
  stack.defer(followDarkness(context, server))
  if (!shared.faults.has('dark')) await server.listen()
  puller.resume()
  // Disposed first: ends the waits for receipts.
  stack.defer(() => ending.abort())
  const disposal = stack.move()
  return { context, [Symbol.asyncDispose]: () => disposal.disposeAsync() }
}

function routesOf(context: ProviderContext, puller: Puller): RouteGroup[] {
  const offences = createOffenceGuard(context)
  return [
    (app) => offences.guard(app),
    (app) => {
      app.get('/pdp/ping', named('ping'), (_request, reply) => reply.type('text/plain; charset=utf-8').send('curio-pdp'))
    },
    uploadRoutes(context),
    retrievalRoutes(context),
    dataSetRoutes(context, offences),
    terminationRoutes(context),
    puller.routes,
  ]
}

/** Closes the port while a `dark` fault is placed. */
function followDarkness({ faults, log }: ProviderContext, server: ProviderServer): () => void {
  let switched: Promise<void> = Promise.resolve()
  return faults.subscribe(() => {
    const isDark = faults.has('dark')
    switched = switched.then(() => (isDark ? server.close() : server.listen())).catch((error) => log(`port not switched: ${error}`))
  })
}
