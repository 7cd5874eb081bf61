import type { Outcome, Tx } from '#kernel'
import { dropReferences } from '../catalog/reference-store.ts'
import { pieceBytesMax } from '../chain/provider-limits.ts'
import { commitPieces } from '../copies/commit-pieces.ts'
import { planPiece, recountContent } from '../copies/copy-store.ts'
import { pullPieces } from '../copies/pull-pieces.ts'
import { storeContent } from '../copies/store-content.ts'
import { allDataSets, type DataSet, type DataSetState, planDataSet } from '../datasets/data-set-store.ts'
import { ensureDataSet } from '../datasets/ensure-data-set.ts'
import { unlessChainIsSilent } from '../pipeline.ts'
import { removePieces } from '../removals/remove-pieces.ts'
import { ModelChain } from './model-chain.ts'
import { ModelProvider, type ProviderMode } from './model-provider.ts'
import { isBeforeArrival, type ModelStart, seedCopy } from './model-starts.ts'
import { ModelTasks } from './model-tasks.ts'
import type { StorageRows } from './storage-rows.ts'
import { createTestPipeline, type TestPipeline } from './test-pipeline.ts'

const tables = `buckets contents pieces cache_entries replica_slots data_sets data_set_totals copies commit_batches commit_items removals
  removal_attempts provider_refusals`.split(/\s+/)

const sizeBytes = 200
const roundsMax = 400
const { signal } = new AbortController()

/**
 * Everything that happens to an object after its upload, on the real stores and the real decisions, with a chain and three providers
 * played by a model. The first data set of the bucket is the one under test; the second is healthy; the third provider is spare.
 */
export class ModelRun {
  readonly chain = new ModelChain()
  readonly providers: readonly ModelProvider[]
  readonly tasks: ModelTasks
  readonly doors: TestPipeline
  readonly cached = new Set<number>()
  readonly #rows: Pick<StorageRows, 'database'>
  readonly #pieceCids: readonly string[]

  private constructor(rows: Pick<StorageRows, 'database'>, pieceCids: readonly string[]) {
    this.#rows = rows
    this.#pieceCids = pieceCids
    const doors = createTestPipeline(rows)
    this.doors = doors
    this.tasks = new ModelTasks(doors.clock, (key) => unlessChainIsSilent(doors, () => this.#run(key)))
    this.providers = [0, 1, 2].map(
      (index) =>
        new ModelProvider({
          chain: this.chain,
          sender: sender(index),
          now: doors.clock.now,
          onCreate: (extraData) => this.#creation(extraData),
          sourceHas: (url) => this.#sourceHas(url),
        }),
    )
    const available = this.providers.map((_, index) => ({ ...choice(index), providerId: String(index), name: sender(index) }))
    Object.assign(doors, {
      reads: this.chain.reads(),
      schedule: this.#schedule(),
      chain: {
        ...doors.chain,
        publicClient: {
          getTransactionCount: async ({ address, blockTag }: { readonly address: string; readonly blockTag?: string }) =>
            this.chain.countSent(address, blockTag === undefined),
        },
      },
      providers: {
        client: (url: string) => (this.providers[Number(url.at(-1))] as ModelProvider).client(),
        listAvailable: async () => available.filter((_, index) => this.providers[index]?.mode !== 'dark'),
        forget: () => undefined,
      },
      locateCached: async (contentId: number) => (this.cached.has(contentId) ? { path: import.meta.filename, size: sizeBytes } : undefined),
    })
  }

  /** Contents in these states on the data set under test, each cached, and the tasks that are open in each of them. */
  static async begin(
    rows: Pick<StorageRows, 'database'>,
    given: { readonly starts: readonly ModelStart[]; readonly dataSet: DataSetState; readonly pieceCids: readonly string[] },
  ): Promise<ModelRun> {
    const run = new ModelRun(rows, given.pieceCids)
    await run.#seed(given.starts, given.dataSet)
    return run
  }

  async #seed(starts: readonly ModelStart[], state: DataSetState): Promise<void> {
    const nowMs = this.doors.clock.now()
    await this.#rows.database.write((tx) => {
      for (const table of tables) tx.run(`delete from ${table}`)
      tx.run(
        `insert into buckets (id, name, default_copies, minimum_durable_copies, created_at, updated_at) values (1, 'photos', 2, 1, 0, 0)`,
      )
      for (const slot of [0, 1]) {
        const { address: providerAddress, ...place } = choice(slot)
        planDataSet(
          tx,
          { bucketId: 1, slot, providerId: String(slot), providerAddress, ...place, clientDataSetId: BigInt(slot + 1) },
          nowMs,
        )
      }
      const [tested, healthy] = allDataSets(tx, 1).map(({ id }) => id) as [number, number]
      const hasChainId = state !== 'planned' && state !== 'creating'
      tx.run('update data_sets set state = ?, chain_id = ? where id = ?', state, hasChainId ? '100' : null, tested)
      tx.run("update data_sets set state = 'ready', chain_id = '101' where id = ?", healthy)
      if (state === 'creating') tx.run("update data_sets set create_extra_data = '0x', create_started_at = ? where id = ?", nowMs, tested)
      const [first] = [this.chain.create(100n, chainStates[state] ?? 'live'), this.chain.create(101n)]
      starts.forEach((start, index) => {
        const contentId = index + 1
        const pieceCid = this.#pieceCids[index] as string
        this.#insertContent(tx, contentId)
        const nonce = BigInt(1000 + index)
        seedCopy(tx, start, { contentId, dataSetId: tested, pieceCid, slot: 0, nonce, nowMs })
        if (!isBeforeArrival(start)) this.providers[0]?.stored.add(pieceCid)
        if (start.copy === 'committed') {
          const pieceId = first.nextPieceId
          tx.run("update copies set chain_piece_id = ? where content_id = ? and state = 'committed'", String(pieceId), contentId)
          first.nextPieceId++
          first.pieces.set(pieceId, pieceCid)
          this.chain.nonces.set(nonce, { landed: true, dataSetId: 100n, nextPieceId: first.nextPieceId })
        }
        recountContent(tx, contentId, nowMs)
        this.tasks.enqueue(tx, `store ${contentId}`)
      })
      for (const kind of ['commit', 'pull', 'ensure']) for (const id of [tested, healthy]) this.tasks.enqueue(tx, `${kind} ${id}`)
    })
  }

  #insertContent(tx: Tx, contentId: number): void {
    const pieceCid = this.#pieceCids[contentId - 1] as string
    tx.run(
      `insert into contents (id, bucket_id, identity, size, ref_count, target_copies, store_state, created_at, updated_at)
       values (?, 1, ?, ?, 1, 2, 'unstored', 0, 0)`,
      contentId,
      pieceCid,
      sizeBytes,
    )
    planPiece(tx, { contentId, size: sizeBytes })
    tx.run('update pieces set piece_cid = ? where content_id = ?', pieceCid, contentId)
    this.cached.add(contentId)
  }

  get tested(): DataSet {
    return allDataSets(this.#rows.database.read, 1)[0] as DataSet
  }

  setMode(mode: ProviderMode): void {
    for (const provider of this.providers.slice(0, 1)) provider.mode = mode
  }

  endOnChain(state: 'terminated' | 'deleted'): void {
    const { chainId } = this.tested
    const dataSet = chainId === null ? undefined : this.chain.dataSets.get(chainId)
    if (dataSet && dataSet.state !== 'deleted') dataSet.state = state
  }

  /** Transactions of batches that are on their way land now. */
  async land(): Promise<void> {
    const rows = this.#rows.database.read.all<{ nonce: string; chainId: string; cid: string }>(
      `select b.nonce, d.chain_id as "chainId", i.piece_cid as cid from commit_batches b join data_sets d on d.id = b.data_set_id
       join commit_items i on i.batch_id = b.id
       where d.chain_id is not null and (b.state in ('submitting', 'submitted', 'uncertain') or b.first_submitted_at is not null)`,
    )
    const batches = new Map<string, { readonly chainId: string; readonly cids: string[] }>()
    for (const { nonce, chainId, cid } of rows) {
      const batch = batches.get(nonce) ?? { chainId, cids: [] }
      batch.cids.push(cid)
      batches.set(nonce, batch)
    }
    for (const [nonce, { chainId, cids }] of batches) this.chain.add(BigInt(chainId), BigInt(nonce), cids)
  }

  /** An upload of new bytes, of which nothing is planned yet. */
  async addContent(): Promise<void> {
    await this.#rows.database.write((tx) => {
      const contentId = (tx.get<{ id: number }>('select max(id) as id from contents')?.id ?? 0) + 1
      if (contentId > this.#pieceCids.length) return
      this.#insertContent(tx, contentId)
      this.tasks.enqueue(tx, `store ${contentId}`)
    })
  }

  /** The last version of each content goes. */
  async deleteContents(): Promise<void> {
    const { database } = this.#rows
    await database.write((tx) => {
      const nowMs = this.doors.clock.now()
      for (const { id } of tx.all<{ id: number }>("select id from contents where state = 'live'")) {
        dropReferences(tx, id, 1, nowMs)
        this.cached.delete(id)
        for (const dataSetId of recountContent(tx, id, nowMs)) this.tasks.enqueue(tx, `cleanup ${dataSetId}`)
      }
    })
  }

  /** Runs what becomes due within the time, until `isOver`; a block is final after each step. */
  async run(forMs: number, isOver: () => boolean = () => false): Promise<void> {
    const { clock } = this.doors
    const endMs = clock.now() + forMs
    for (let round = 0; round < roundsMax && !isOver(); round++) {
      const nextAtMs = this.tasks.nextAtMs() ?? endMs
      if (nextAtMs >= endMs) break
      if (nextAtMs > clock.now()) await clock.advance(nextAtMs - clock.now())
      await this.tasks.runDue()
      this.chain.mine()
    }
    if (!isOver()) await clock.advance(Math.max(0, endMs - clock.now()))
  }

  /** From now on everybody does what they should. */
  calm(): void {
    for (const provider of this.providers) {
      provider.mode = 'normal'
      provider.crashes = false
    }
    this.chain.isHeld = false
    this.doors.world.funding = { isCovered: true }
  }

  #schedule() {
    const note = (kind: string) => (tx: Parameters<ModelTasks['enqueue']>[0], id: number, atMs?: number) => {
      this.tasks.enqueue(tx, `${kind} ${id}`, atMs)
      return 1
    }
    const kinds = { store: note('store'), ensure: note('ensure'), pull: note('pull'), commit: note('commit'), cleanup: note('cleanup') }
    return { ...kinds, makeRoom: () => undefined, reviewDurability: () => undefined, finishEviction: () => undefined }
  }

  #run(key: string): Promise<Outcome> {
    const [kind, text] = key.split(' ')
    const id = Number(text)
    switch (kind) {
      case 'store':
        return storeContent(this.doors, id, signal)
      case 'pull':
        return pullPieces(this.doors, id, signal)
      case 'commit':
        return commitPieces(this.doors, id, signal)
      case 'ensure':
        return ensureDataSet(this.doors, id, signal)
      default:
        return removePieces(this.doors, { dataSetId: id, taskId: id }, signal)
    }
  }

  #creation(extraData: `0x${string}`): () => void {
    const row = this.#rows.database.read.get<{ id: number; nonce: string }>(
      'select id, client_data_set_id as nonce from data_sets where create_extra_data = ?',
      extraData,
    )
    return () => {
      if (!row || this.chain.nonces.has(BigInt(row.nonce))) return
      const chainId = BigInt(1000 + row.id)
      this.chain.create(chainId)
      this.chain.nonces.set(BigInt(row.nonce), { landed: true, dataSetId: chainId })
    }
  }

  #sourceHas(url: string): boolean {
    const [source, cid] = url.split('/') as [string, string]
    const provider = this.providers[Number(source.at(-1))]
    return provider !== undefined && provider.mode !== 'dark' && provider.stored.has(cid)
  }
}

const chainStates: Partial<Record<DataSetState, 'terminated' | 'deleted'>> = {
  write_blocked: 'terminated',
  retiring: 'terminated',
  lost: 'deleted',
  retired: 'deleted',
}

const sender = (index: number) => `0x${index}`

const choice = (index: number) =>
  ({
    isEndorsed: true,
    latencyMs: 1,
    address: `0x${index}`,
    payee: '0x9',
    serviceUrl: `http://provider-${index}`,
    pieceBytesMax,
  }) as const
