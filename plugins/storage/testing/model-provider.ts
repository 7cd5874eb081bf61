import { notSent, ok, uncertain } from '../chain/provider-answer.ts'
import type { AddPiecesCall, ProviderClient, PullCall } from '../chain/provider-client.ts'
import type { NotSentCause } from '../chain/provider-error.ts'
import { type ModelChain, nonceOf } from './model-chain.ts'

/**
 * normal · dark: no connection · refuses: 400 · lies: 400, and sends the transaction all the same · lies_and_discards: the same, and the
 * bytes are gone · unknown_set: 404 on every data set · busy: 429 · answer_lost: acts and says nothing · silent: does not act and says nothing · reverts: its transaction fails · node_error:
 * its chain node is away · pull_fails
 */
export const providerModes = [
  'normal',
  'dark',
  'refuses',
  'lies',
  'lies_and_discards',
  'unknown_set',
  'busy',
  'answer_lost',
  'silent',
  'reverts',
  'node_error',
  'pull_fails',
] as const
export type ProviderMode = (typeof providerModes)[number]

const hash = `0x${'ab'.repeat(32)}` as const
const lost = uncertain({ reason: 'connection_lost', detail: 'reset' })

type Answers = Pick<
  ProviderClient,
  'addPieces' | 'additionStatus' | 'createDataSet' | 'creationStatus' | 'deletePieces' | 'findPiece' | 'pieceUrl' | 'pull' | 'upload'
>

/** Thrown after a provider acted, in place of its answer: the process died. */
export class Crash extends Error {
  override readonly name = 'Crash'
}

export interface ModelProviderDoors {
  readonly chain: ModelChain
  readonly sender: string
  readonly now: () => number
  /** The chain's id of a data set that is created with these bytes. */
  readonly onCreate: (extraData: `0x${string}`) => () => void
  readonly sourceHas: (sourceUrl: string) => boolean
}

/** A provider that behaves as its mode says; its word is never trusted further than the product trusts a real one's. */
export class ModelProvider {
  mode: ProviderMode = 'normal'
  /** The next paid or transferring call is acted on, and then the process dies. */
  crashes = false
  readonly stored = new Set<string>()
  /** Moments of additions to data sets it does not know. */
  readonly offences: number[] = []
  additions = 0
  readonly #doors: ModelProviderDoors

  constructor(doors: ModelProviderDoors) {
    this.#doors = doors
  }

  /** Forgets what no data set of the chain holds. */
  collectGarbage(): void {
    const held = new Set([...this.#doors.chain.dataSets.values()].flatMap(({ pieces }) => [...pieces.values()]))
    for (const piece of this.stored) if (!held.has(piece)) this.stored.delete(piece)
  }

  client(): ProviderClient {
    const answers: Answers = {
      addPieces: async (call) => this.#die(this.#add(call)),
      additionStatus: async () => this.#refusal() ?? ok({ state: this.mode === 'reverts' ? 'failed' : 'pending' }),
      createDataSet: async ({ extraData }) => this.#die(this.#act(this.#doors.onCreate(extraData))),
      creationStatus: async () => this.#refusal() ?? ok({ state: this.mode === 'reverts' ? 'failed' : 'pending' }),
      deletePieces: async ({ dataSetId, pieceIds }) =>
        this.#die(this.#act(() => this.#queueRemovals(dataSetId, pieceIds)) as Awaited<ReturnType<ProviderClient['deletePieces']>>),
      findPiece: async (cid) => (this.mode === 'dark' ? this.#refusal() : undefined) ?? ok({ isFound: this.stored.has(cid) }),
      pieceUrl: (cid) => `${this.#doors.sender}/${cid}`,
      pull: async (call) => this.#die(this.#pull(call)),
      upload: async ({ pieceCid }) => {
        const refused = this.#refusal()
        if (refused) return refused
        this.stored.add(pieceCid)
        return this.#die(ok({ alreadyStored: false }))
      },
    }
    return answers as ProviderClient
  }

  #die<T>(answer: T): T {
    if (!this.crashes) return answer
    this.crashes = false
    throw new Crash('the process died')
  }

  /** Of every call that this mode refuses before it acts. */
  #refusal() {
    const causes: Partial<Record<ProviderMode, NotSentCause>> = {
      dark: { reason: 'unreachable', step: 'connect', detail: 'refused' },
      refuses: { reason: 'invalid', status: 400, detail: 'no' },
      busy: { reason: 'throttled', retryAfterMs: 60_000, detail: 'later' },
    }
    const cause = causes[this.mode]
    if (cause) return notSent(cause)
    return this.mode === 'silent' || this.mode === 'node_error' ? lost : undefined
  }

  /** A paid call. */
  #act(effect: () => void) {
    const refused = this.#refusal()
    if (refused) return refused
    this.#doors.chain.send(this.#doors.sender, this.mode === 'reverts' ? () => undefined : effect)
    if (this.mode === 'lies' || this.mode === 'lies_and_discards') return notSent({ reason: 'invalid', status: 400, detail: 'no' })
    return this.mode === 'answer_lost' ? lost : ok({ txHash: hash })
  }

  #unknownSet() {
    return notSent({ reason: 'data_set_gone', status: 404, detail: 'unknown' })
  }

  #add({ dataSetId, pieces, extraData }: AddPiecesCall) {
    this.additions++
    const { chain, now } = this.#doors
    if (this.mode === 'unknown_set' || (this.#refusal() === undefined && chain.dataSets.get(dataSetId)?.state !== 'live')) {
      this.offences.push(now())
      for (const piece of pieces) this.stored.delete(piece)
      return this.#unknownSet()
    }
    const nonce = nonceOf(extraData)
    if (this.#refusal() === undefined && chain.nonces.has(nonce)) return { kind: 'landed' } as const
    if (this.#refusal() === undefined && pieces.some((piece) => !this.stored.has(piece)) && this.mode !== 'lies')
      return notSent({ reason: 'invalid', status: 400, detail: 'subPiece CID not found' })
    if (this.mode === 'lies_and_discards') for (const piece of pieces) this.stored.delete(piece)
    return this.#act(() => chain.add(dataSetId, nonce, pieces))
  }

  #pull({ pieces, dataSetId }: PullCall): Awaited<ReturnType<ProviderClient['pull']>> {
    if (pieces.length === 0) throw new Error('a pull without sources was sent')
    if (this.mode === 'unknown_set' || (dataSetId !== undefined && this.#doors.chain.dataSets.get(dataSetId)?.state !== 'live'))
      return this.#unknownSet()
    const refused = this.#refusal()
    if (refused) return refused
    return ok({
      status: 'complete',
      pieces: pieces.map(({ pieceCid, sourceUrl }) => {
        const arrives = this.mode !== 'pull_fails' && (this.stored.has(pieceCid) || this.#doors.sourceHas(sourceUrl))
        if (arrives) this.stored.add(pieceCid)
        return { pieceCid, status: arrives ? 'complete' : 'failed' }
      }),
    })
  }

  #queueRemovals(chainId: bigint, pieceIds: readonly bigint[]): void {
    const dataSet = this.#doors.chain.dataSets.get(chainId)
    if (dataSet && dataSet.state !== 'deleted') for (const id of pieceIds) if (dataSet.pieces.has(id)) dataSet.queued.add(id)
  }
}
