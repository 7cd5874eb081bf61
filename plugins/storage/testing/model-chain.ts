import type { NonceOutcome } from '../chain/nonce-policy.ts'
import { pieceCidBytes } from '../chain/typed-data.ts'
import type { Liveness, WarmStorageReads } from '../chain/warm-storage-reads.ts'

export interface ModelDataSet {
  state: 'live' | 'terminated' | 'deleted'
  nextPieceId: bigint
  readonly pieces: Map<bigint, string>
  readonly queued: Set<bigint>
}

interface Transaction {
  readonly sender: string
  readonly apply: () => void
}

/** The contracts as far as the pipeline sees them: a nonce book, data sets, and transactions that become final with `mine`. */
export class ModelChain {
  readonly nonces = new Map<bigint, NonceOutcome>()
  readonly dataSets = new Map<bigint, ModelDataSet>()
  readonly #pool: Transaction[] = []
  readonly #final = new Map<string, number>()
  isHeld = false
  /** What an account received twice: pieces that one data set was paid for more than once. */
  readonly duplicates: string[] = []

  create(chainId: bigint, state: ModelDataSet['state'] = 'live'): ModelDataSet {
    const dataSet: ModelDataSet = { state, nextPieceId: 0n, pieces: new Map(), queued: new Set() }
    this.dataSets.set(chainId, dataSet)
    return dataSet
  }

  send(sender: string, apply: () => void): void {
    this.#pool.push({ sender, apply })
  }

  /** Everything in the pool becomes final, and queued removals take effect. */
  mine(): void {
    if (this.isHeld) return
    for (const { sender, apply } of this.#pool.splice(0)) {
      this.#final.set(sender, this.#sentFinally(sender) + 1)
      apply()
    }
    for (const dataSet of this.dataSets.values()) {
      for (const id of dataSet.queued) dataSet.pieces.delete(id)
      dataSet.queued.clear()
    }
  }

  /** A nonce is single-use, and a data set that is not live takes nothing. */
  add(chainId: bigint, nonce: bigint, pieces: readonly string[]): void {
    const dataSet = this.dataSets.get(chainId)
    if (dataSet?.state !== 'live' || this.nonces.has(nonce)) return
    const held = new Set(dataSet.pieces.values())
    for (const piece of pieces) {
      if (held.has(piece)) this.duplicates.push(`${piece} in data set ${chainId}`)
      dataSet.pieces.set(dataSet.nextPieceId++, piece)
    }
    this.nonces.set(nonce, { landed: true, dataSetId: chainId, nextPieceId: dataSet.nextPieceId })
  }

  countSent(sender: string, isFinal: boolean): number {
    return this.#sentFinally(sender) + (isFinal ? 0 : this.#pool.filter((transaction) => transaction.sender === sender).length)
  }

  #sentFinally(sender: string): number {
    return this.#final.get(sender) ?? 0
  }

  liveness(chainId: bigint): Liveness {
    const dataSet = this.dataSets.get(chainId)
    if (!dataSet) return { live: false, reason: 'absent' }
    if (dataSet.state === 'live') return { live: true }
    return dataSet.state === 'terminated' ? { live: false, reason: 'terminated', endEpoch: 9n } : { live: false, reason: 'deleted' }
  }

  /** What the pipeline reads; anything else fails the test. */
  reads(): WarmStorageReads {
    const existing = (chainId: bigint) => {
      const dataSet = this.dataSets.get(chainId)
      return dataSet && dataSet.state !== 'deleted' ? dataSet : undefined
    }
    const reads: Partial<WarmStorageReads> = {
      nonceOutcome: async (_payer, nonce) => this.nonces.get(nonce) ?? { landed: false },
      nonceHint: async (_payer, nonce) => this.nonces.get(nonce) ?? { landed: false },
      liveness: async (chainId) => this.liveness(chainId),
      scheduledRemovals: async (chainId) => [...(existing(chainId)?.queued ?? [])],
      pieceState: async (chainId, pieceId) => {
        const dataSet = existing(chainId)
        if (!dataSet) return 'unknowable'
        return dataSet.pieces.has(pieceId) ? 'live' : 'gone'
      },
      pieceCidOf: async (chainId, pieceId) => {
        const cid = existing(chainId)?.pieces.get(pieceId)
        return cid === undefined ? null : pieceCidBytes(cid)
      },
      findPieceIds: async ({ dataSetId, pieceCid }) =>
        [...(existing(dataSetId)?.pieces ?? [])].filter(([, cid]) => cid === pieceCid).map(([id]) => id),
    }
    return reads as WarmStorageReads
  }
}

/** The nonce stands first in the signed bytes of an addition. */
export const nonceOf = (extraData: `0x${string}`): bigint => BigInt(extraData.slice(0, 66))
