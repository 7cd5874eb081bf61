import type { Liveness, NonceOutcome, WarmStorageReads } from '#plugins/providers'

interface ModelDataSet {
  state: 'live' | 'terminated' | 'deleted'
  nextPieceId: bigint
  readonly pieces: Map<bigint, string>
  readonly queued: Set<bigint>
}

interface ModelState {
  readonly nonces: Map<bigint, NonceOutcome>
  readonly dataSets: Map<bigint, ModelDataSet>
  /** Number of mined transactions by sender. */
  readonly sent: Map<string, number>
}

interface Transaction {
  readonly sender: string
  readonly apply: () => void
}

interface Block {
  readonly epoch: bigint
  readonly transactions: readonly Transaction[]
  /** State after the block. */
  readonly state: ModelState
}

const finalityEpochs = 20n
/** Sender of transactions by the account's owner outside svc. A reorganisation always sends them again. */
const owner = 'owner'

/** Model of the contracts as the pipeline sees them: nonces, data sets, and blocks that a reorganisation removes until they are final. */
export class ModelChain {
  #state: ModelState = { nonces: new Map(), dataSets: new Map(), sent: new Map() }
  readonly #blocks: Block[] = []
  readonly #pool: Transaction[] = []
  readonly #epochNow: () => bigint
  isHeld = false
  /** Pieces added to a data set more than once, so paid twice. */
  readonly duplicates: string[] = []
  /** Piece CIDs that an operator released: their attempts may both land. */
  readonly released = new Set<string>()

  constructor(epochNow: () => bigint) {
    this.#epochNow = epochNow
  }

  get nonces(): Map<bigint, NonceOutcome> {
    return this.#state.nonces
  }

  get dataSets(): Map<bigint, ModelDataSet> {
    return this.#state.dataSets
  }

  confirmedEpoch = (): bigint => this.#epochNow()

  finalizedEpoch = (): bigint => this.#epochNow() - finalityEpochs

  create(chainId: bigint, nonce: bigint, state: ModelDataSet['state'] = 'live'): void {
    if (this.nonces.has(nonce)) return
    this.dataSets.set(chainId, { state, nextPieceId: 0n, pieces: new Map(), queued: new Set() })
    this.nonces.set(nonce, { landed: true, dataSetId: chainId })
  }

  /** Makes the current state the first block, which no reorganisation removes. */
  begin(): void {
    this.#blocks.push({ epoch: 0n, transactions: [], state: structuredClone(this.#state) })
  }

  send(sender: string, apply: () => void): void {
    this.#pool.push({ sender, apply })
  }

  end(chainId: bigint, state: 'terminated' | 'deleted'): void {
    this.send(owner, () => {
      const dataSet = this.dataSets.get(chainId)
      if (dataSet && dataSet.state !== 'deleted') dataSet.state = state
    })
  }

  /** Mines all transactions of the pool, and executes the removals queued before. */
  mine(): void {
    const queued = [...this.dataSets.values()].filter((dataSet) => dataSet.queued.size > 0)
    if (this.isHeld || (this.#pool.length === 0 && queued.length === 0)) return
    for (const dataSet of queued) {
      for (const id of dataSet.queued) dataSet.pieces.delete(id)
      dataSet.queued.clear()
    }
    const transactions = this.#pool.splice(0)
    for (const { sender, apply } of transactions) {
      this.#state.sent.set(sender, this.#sent(sender) + 1)
      apply()
    }
    this.#blocks.push({ epoch: this.confirmedEpoch(), transactions, state: structuredClone(this.#state) })
  }

  /**
   * Removes all blocks that are not final. Their transactions return to the pool in reverse order; with `isForgotten` the providers'
   * transactions are dropped.
   */
  reorganise({ isForgotten = false } = {}): void {
    const kept = this.#blocks.findLastIndex(({ epoch }) => epoch <= this.finalizedEpoch())
    const undone = this.#blocks.splice(kept + 1).flatMap(({ transactions }) => transactions)
    this.#state = structuredClone((this.#blocks.at(-1) as Block).state)
    this.#pool.unshift(...undone.reverse().filter(({ sender }) => !isForgotten || sender === owner))
  }

  #stateAt(epoch: bigint): ModelState {
    if (epoch >= this.confirmedEpoch()) return this.#state
    return (this.#blocks.findLast((block) => block.epoch <= epoch) as Block).state
  }

  /** Does nothing if the nonce is used or the data set is not live. */
  add(chainId: bigint, nonce: bigint, pieces: readonly string[]): void {
    const dataSet = this.dataSets.get(chainId)
    if (dataSet?.state !== 'live' || this.nonces.has(nonce)) return
    const held = new Set(dataSet.pieces.values())
    for (const piece of pieces) {
      if (held.has(piece) && !this.released.has(piece)) this.duplicates.push(`${piece} in data set ${chainId}`)
      dataSet.pieces.set(dataSet.nextPieceId++, piece)
    }
    this.nonces.set(nonce, { landed: true, dataSetId: chainId, nextPieceId: dataSet.nextPieceId })
  }

  countSent(sender: string, isFinal: boolean): number {
    return this.#sent(sender) + (isFinal ? 0 : this.#pool.filter((transaction) => transaction.sender === sender).length)
  }

  #sent(sender: string): number {
    return this.#state.sent.get(sender) ?? 0
  }

  liveness(chainId: bigint): Liveness {
    const dataSet = this.dataSets.get(chainId)
    if (!dataSet) return { live: false, reason: 'absent' }
    if (dataSet.state === 'live') return { live: true }
    return dataSet.state === 'terminated' ? { live: false, reason: 'terminated', endEpoch: 9n } : { live: false, reason: 'deleted' }
  }

  /** The reads of the pipeline; other methods are undefined. */
  reads(): WarmStorageReads {
    const existing = (chainId: bigint, state = this.#state) => {
      const dataSet = state.dataSets.get(chainId)
      return dataSet && dataSet.state !== 'deleted' ? dataSet : undefined
    }
    const reads: Partial<WarmStorageReads> = {
      additionLimits: async () => ({ piecesMax: 404, omitsMetadata: true }),
      addedPieces: async (chainId) => existing(chainId)?.nextPieceId ?? 0n,
      nonceOutcome: async (_payer, nonce) => this.nonces.get(nonce) ?? { landed: false },
      nonceAt: async (_payer, nonce, epoch) => this.#stateAt(epoch).nonces.get(nonce) ?? { landed: false },
      liveness: async (chainId) => this.liveness(chainId),
      scheduledRemovals: async (chainId) => [...(existing(chainId)?.queued ?? [])],
      pieceState: async (chainId, pieceId, epoch = this.confirmedEpoch()) => {
        const dataSet = existing(chainId, this.#stateAt(epoch))
        if (!dataSet) return 'unknowable'
        return dataSet.pieces.has(pieceId) ? 'live' : 'gone'
      },
      pieceCidOf: async (chainId, pieceId) => existing(chainId)?.pieces.get(pieceId) ?? null,
      livePieces: async ({ dataSetId, from, limit }) =>
        [...(existing(dataSetId)?.pieces ?? [])]
          .filter(([pieceId]) => pieceId >= from)
          .slice(0, limit)
          .map(([pieceId, pieceCid]) => ({ pieceId, pieceCid })),
    }
    return reads as WarmStorageReads
  }
}

/** The nonce is the first word in the `extraData` of an addition. */
export const nonceOf = (extraData: `0x${string}`): bigint => BigInt(extraData.slice(0, 66))
