import type { Outcome, Tx } from '#kernel'
import { allRows, getRow, runSql } from '#kernel/testing'
import { createProviderTurns } from '../../providers/testing/index.ts'
import { dropReferences } from '../../storage/testing/rows.ts'
import { signAddPieces } from '../chain/typed-data.ts'
import { attemptIdOf, listEntries } from '../confirmations/confirmation-store.ts'
import { releaseCopy } from '../confirmations/release-copy.ts'
import { commitPieces } from '../copies/batches/commit-pieces.ts'
import { storingReason } from '../copies/ingress/await-parking.ts'
import { parkUploaded } from '../copies/ingress/park-uploaded.ts'
import { storeContent } from '../copies/placing/store-content.ts'
import { pullPieces } from '../copies/pulls/pull-pieces.ts'
import { planPiece } from '../copies/records/copy-store.ts'
import { findDataSet } from '../datasets/data-set-store.ts'
import { ensureDataSet } from '../datasets/ensure-data-set.ts'
import { verifyLandings } from '../finality/verify-landings.ts'
import { type Pipeline, type Schedule, waitIfChainUnreachable } from '../pipeline.ts'
import { removePieces } from '../removals/remove-pieces.ts'
import type { DataSetState } from '../states/tables/data-set-transitions-policy.ts'
import { createUploadMeter } from '../upload-meter.ts'
import { ModelChain } from './model-chain.ts'
import { chainStates, choice, seedDataSets } from './model-data-sets.ts'
import { recordLandings, submittedBatches } from './model-landings.ts'
import { ModelProvider, type ProviderMode } from './model-provider.ts'
import { isBeforeArrival, type ModelStart, seedCopy } from './model-starts.ts'
import { ModelTasks } from './model-tasks.ts'
import type { StorageRows } from './storage-rows.ts'
import { createTestPipeline, type TestPipeline, testEpochMs, testSlots } from './test-pipeline.ts'

const sizeBytes = 200
export const finalityKey = 'finality 0'
const roundsMax = 400
const releasesMax = 100
const { signal } = new AbortController()

/**
 * Runs the replication pipeline on real stores and real decisions, with a model of the chain and of three providers. The first data set of
 * the bucket is under test, the second is healthy, and the third provider is spare.
 */
export class ModelRun {
  /** Data set with the tested state. */
  testedId = 0
  readonly chain: ModelChain
  readonly providers: readonly ModelProvider[]
  readonly tasks: ModelTasks
  readonly pipeline: TestPipeline
  readonly cached = new Set<number>()
  readonly #rows: Pick<StorageRows, 'database'>
  readonly #pieceCids: readonly string[]

  private constructor(rows: Pick<StorageRows, 'database'>, pieceCids: readonly string[]) {
    this.#rows = rows
    this.#pieceCids = pieceCids
    const pipeline = createTestPipeline(rows)
    this.pipeline = pipeline
    this.chain = new ModelChain(() => BigInt(Math.floor(pipeline.clock.now() / testEpochMs)))
    this.tasks = new ModelTasks(pipeline.clock, (key) => waitIfChainUnreachable(pipeline, () => this.#run(key)))
    this.providers = [0, 1, 2].map(
      (index) =>
        new ModelProvider({
          chain: this.chain,
          sender: sender(index),
          now: pipeline.clock.now,
          onCreate: (extraData) => this.#creation(extraData),
          sourceHas: (url) => this.#sourceHas(url),
        }),
    )
    const available = this.providers.map((_, index) => ({ ...choice(index), providerId: String(index), name: sender(index) }))
    const client = (url: string) => (this.providers[Number(url.at(-1))] as ModelProvider).client()
    const getTransactionCount = async ({ address, blockTag }: { readonly address: string; readonly blockTag?: string }) =>
      this.chain.countSent(address, blockTag === undefined)
    const modelled: Partial<Pipeline> = {
      uploadEvents: noEvents,
      uploads: createUploadMeter(pipeline.clock),
      reads: this.chain.reads(),
      schedule: this.#schedule(),
      chain: {
        ...pipeline.chain,
        finalEpoch: async () => this.chain.confirmedEpoch(),
        finalizedEpoch: async () => this.chain.finalizedEpoch(),
        unconfirmedEpochs: 0,
        publicClient: { ...pipeline.chain.publicClient, getTransactionCount } as unknown as Pipeline['chain']['publicClient'],
      },
      providers: {
        turns: createProviderTurns({ clock: pipeline.clock, epochMs: testEpochMs, slots: testSlots, client }),
        client,
        listAvailable: async () => available.filter((_, index) => this.providers[index]?.mode !== 'unreachable'),
        refresh: async () => undefined,
        inventory: async () => ({ freshness: 'unknown', readAtMs: null, failedAtMs: null, failure: null, providers: [] }),
        nameOf: () => undefined,
        report: () => undefined,
        scoreOf: () => undefined,
        [Symbol.asyncDispose]: async () => undefined,
      },
      cached: {
        ...pipeline.cached,
        locate: async (contentId) =>
          this.cached.has(contentId)
            ? { size: sizeBytes, segments: [{ path: import.meta.filename, size: sizeBytes, sha256: null }], blobId: String(contentId) }
            : undefined,
        reconcileCapacity: async () => undefined,
      },
    }
    Object.assign(pipeline, modelled)
  }

  /** Seeds one cached content per start on the data set under test, and enqueues the tasks that are open in these states. */
  static async begin(
    rows: Pick<StorageRows, 'database'>,
    given: { readonly starts: readonly ModelStart[]; readonly dataSet: DataSetState; readonly pieceCids: readonly string[] },
  ): Promise<ModelRun> {
    const run = new ModelRun(rows, given.pieceCids)
    await run.#seed(given.starts, given.dataSet)
    return run
  }

  async #seed(starts: readonly ModelStart[], state: DataSetState): Promise<void> {
    const nowMs = this.pipeline.clock.now()
    const signed = await Promise.all(starts.map((_, index) => this.#signAddition(index)))
    await this.#rows.database.write(async (tx) => {
      const { tested, healthy } = await seedDataSets(tx, this.chain, { state, nowMs })
      this.testedId = tested
      for (const [index, start] of starts.entries()) await this.#seedContent(tx, start, { index, extraData: signed[index] as string })
      this.chain.mine()
      await recordLandings(this.pipeline, tx, this.chain)
      for (let contentId = 1; contentId <= starts.length; contentId++) await this.pipeline.states.copies.recount(tx, [contentId])
      const end = chainStates[state]
      if (end) this.chain.end(100n, end)
      this.chain.mine()
      for (const kind of ['commit', 'park', 'pull', 'ensure']) for (const id of [tested, healthy]) this.tasks.enqueue(tx, `${kind} ${id}`)
      this.tasks.enqueue(tx, finalityKey)
    })
  }

  async #seedContent(
    tx: Tx,
    start: ModelStart,
    { index, extraData }: { readonly index: number; readonly extraData: string },
  ): Promise<void> {
    const contentId = index + 1
    const pieceCid = this.#pieceCids[index] as string
    const nonce = seededNonce(index)
    await this.#insertContent(tx, contentId)
    const nowMs = this.pipeline.clock.now()
    await seedCopy(tx, start, { contentId, dataSetId: this.testedId, pieceCid, slot: 0, nonce, extraData, nowMs })
    if (!isBeforeArrival(start)) this.providers[0]?.stored.add(pieceCid)
    if (start.copy === 'committed') this.chain.send(sender(0), () => this.chain.add(100n, nonce, [pieceCid]))
    this.tasks.enqueue(tx, `store ${contentId}`)
  }

  #signAddition(index: number): Promise<string> {
    const pieceCid = this.#pieceCids[index] as string
    const key = `${index} ${pieceCid}`
    const { chain, signer: account } = this.pipeline
    const domain = { chainId: chain.network.chainId, fwss: chain.network.contracts.fwss }
    const pieces = [{ pieceCid }]
    const signed = seededAdditions.get(key) ?? signAddPieces({ account, domain, clientDataSetId: 1n, nonce: seededNonce(index), pieces })
    seededAdditions.set(key, signed)
    return signed
  }

  async #insertContent(tx: Tx, contentId: number): Promise<void> {
    const pieceCid = this.#pieceCids[contentId - 1] as string
    await runSql(
      tx,
      `insert into contents (id, bucket_id, identity, size, ref_count, target_copies, store_state, created_at, updated_at)
       values (?, 1, ?, ?, 1, 2, 'unstored', 0, 0)`,
      contentId,
      pieceCid,
      sizeBytes,
    )
    await planPiece(tx, { contentId, size: sizeBytes })
    await runSql(tx, 'update pieces set piece_cid = ?, is_proven = 1 where content_id = ?', pieceCid, contentId)
    await runSql(
      tx,
      `insert into cache_entries (content_id, state, bytes, accessed_at, cached_at) values (?, 'present', ?, 0, 0)`,
      contentId,
      sizeBytes,
    )
    this.cached.add(contentId)
  }

  setMode(mode: ProviderMode): void {
    for (const provider of this.providers.slice(0, 1)) provider.mode = mode
  }

  async endOnChain(state: 'terminated' | 'deleted'): Promise<void> {
    const tested = await findDataSet(this.#rows.database.read, this.testedId)
    if (tested?.chainId != null) this.chain.end(tested.chainId, state)
    this.chain.mine()
  }

  /** Lands the transactions of all submitted batches. */
  async land(): Promise<void> {
    for (const { chainId, nonce, pieceCids } of await submittedBatches(this.#rows.database.read)) {
      this.chain.send(sender(0), () => this.chain.add(chainId, nonce, pieceCids))
    }
    this.chain.mine()
  }

  /** Removes the blocks that are not final: until the next block, for `forMs`, or with `isForgotten` until svc sends again. */
  async reorganise({ forMs = 0, isForgotten = false } = {}): Promise<void> {
    await this.run(forMs)
    this.chain.reorganise({ isForgotten })
    if (forMs === 0) return
    const { isHeld } = this.chain
    this.chain.isHeld = true
    await this.run(forMs)
    this.chain.isHeld = isHeld
  }

  /** An operator releases every copy that needs one. */
  async releaseAll(): Promise<void> {
    for (const entry of await listEntries(this.#rows.database.read, releasesMax)) {
      this.chain.released.add(entry.pieceCid ?? '')
      await releaseCopy(this.pipeline, { copyId: entry.copyId, attemptId: attemptIdOf(entry), isAcknowledged: true }).catch(
        (error: { code?: string }) => {
          if (!error.code?.startsWith('storage_confirmation_')) throw error
        },
      )
    }
  }

  /** Inserts a content with new bytes and enqueues its store task. */
  async addContent(): Promise<void> {
    await this.#rows.database.write(async (tx) => {
      const contentId = ((await getRow<{ id: number }>(tx, 'select max(id) as id from contents'))?.id ?? 0) + 1
      if (contentId > this.#pieceCids.length) return
      await this.#insertContent(tx, contentId)
      this.tasks.enqueue(tx, `store ${contentId}`)
    })
  }

  /** Deletes the last version of each content. */
  async deleteContents(): Promise<void> {
    const { database } = this.#rows
    await database.write(async (tx) => {
      const nowMs = this.pipeline.clock.now()
      for (const { id } of await allRows<{ id: number }>(tx, "select id from contents where state = 'live'")) {
        await dropReferences(tx, id, 1, nowMs)
        this.cached.delete(id)
        await this.pipeline.states.copies.recount(tx, [id])
      }
    })
  }

  /** Runs the tasks that become due within `forMs`, until `isOver`, and mines a block after each step. */
  async run(forMs: number, isOver: () => Promise<boolean> = async () => false): Promise<void> {
    const { clock } = this.pipeline
    const endMs = clock.now() + forMs
    for (let round = 0; round < roundsMax && !(await isOver()); round++) {
      const nextAtMs = this.tasks.nextAtMs() ?? endMs
      if (nextAtMs >= endMs) break
      if (nextAtMs > clock.now()) await clock.advance(nextAtMs - clock.now())
      await this.tasks.runDue()
      this.chain.mine()
    }
    if (!(await isOver())) await clock.advance(Math.max(0, endMs - clock.now()))
  }

  /** Ends all faults of providers, chain and funding. */
  endFaults(): void {
    for (const provider of this.providers) {
      provider.mode = 'normal'
      provider.crashesNext = false
    }
    this.chain.isHeld = false
    this.pipeline.world.funding = { isCovered: true }
  }

  #schedule(): Schedule {
    const enqueue = (kind: string) => async (tx: Tx, id: number, atMs?: number) => this.tasks.enqueue(tx, `${kind} ${id}`, atMs)
    return {
      store: enqueue('store'),
      ensure: enqueue('ensure'),
      pull: enqueue('pull'),
      commit: enqueue('commit'),
      park: enqueue('park'),
      endStores: async (tx, contentIds) => {
        for (const id of contentIds) this.tasks.endWait(tx, `store ${id}`, storingReason)
      },
      cleanup: async (tx, dataSetId, atMs) => {
        await enqueue('cleanup')(tx, dataSetId, atMs)
        return 1
      },
      end: enqueue('end'),
      standing: enqueue('standing'),
      verifyLandings: async (tx, atMs) => this.tasks.enqueue(tx, finalityKey, atMs),
    }
  }

  #run(key: string): Promise<Outcome> {
    const [kind, text] = key.split(' ')
    const id = Number(text)
    switch (kind) {
      case 'store':
        return storeContent(this.pipeline, id, signal)
      case 'park':
        return parkUploaded(this.pipeline, id, signal)
      case 'pull':
        return pullPieces(this.pipeline, id, signal)
      case 'commit':
        return commitPieces(this.pipeline, id, signal)
      case 'ensure':
        return ensureDataSet(this.pipeline, id, signal)
      case 'finality':
        return verifyLandings(this.pipeline, signal)
      default:
        return removePieces(this.pipeline, { dataSetId: id, taskId: id }, signal)
    }
  }

  async #creation(extraData: `0x${string}`): Promise<() => void> {
    const row = await getRow<{ id: number; nonce: string }>(
      this.#rows.database.read,
      'select id, client_data_set_id as nonce from data_sets where create_extra_data = ?',
      extraData,
    )
    return () => {
      if (row) this.chain.create(BigInt(1000 + row.id), BigInt(row.nonce))
    }
  }

  #sourceHas(url: string): boolean {
    const [source, cid] = url.split('/') as [string, string]
    const provider = this.providers[Number(source.at(-1))]
    return provider !== undefined && provider.mode !== 'unreachable' && provider.stored.has(cid)
  }
}

/** Each run seeds the same additions, and hashing them is expensive. */
const seededAdditions = new Map<string, Promise<string>>()

/** Looking up what to publish costs as many statements as a step of the pipeline; its own tests prove it. */
const noEvents: Pipeline['uploadEvents'] = { changed: () => {}, progressed: () => {}, [Symbol.asyncDispose]: async () => {} }

const seededNonce = (index: number) => BigInt(1000 + index)

const sender = (index: number) => `0x${index}`
