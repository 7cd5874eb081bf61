import type { AddPiecesCall, NotSentCause, ProviderClient, PullCall } from '#plugins/providers'
import { notSent, ok, uncertain } from '../../providers/testing/index.ts'
import { type ModelChain, nonceOf } from './model-chain.ts'

/**
 * normal · unreachable: no connection · refuses: 400 · refuses_but_sends: 400, but sends the transaction · refuses_sends_and_discards: also
 * discards the bytes · unknown_set: 404 on every data set · busy: 429 · answer_lost: acts without an answer · no_answer: does not act and
 * does not answer · reverts: its transaction fails · node_error: its chain node is unreachable · pull_fails: its pulls fail
 */
export const providerModes = [
  'normal',
  'unreachable',
  'refuses',
  'refuses_but_sends',
  'refuses_sends_and_discards',
  'unknown_set',
  'busy',
  'answer_lost',
  'no_answer',
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

/** Thrown instead of an answer, after the provider acted: simulates a crash of our process. */
export class Crash extends Error {
  override readonly name = 'Crash'
}

interface ModelProviderDeps {
  readonly chain: ModelChain
  readonly sender: string
  readonly now: () => number
  /** Returns the effect on chain of a creation with these bytes. */
  readonly onCreate: (extraData: `0x${string}`) => Promise<() => void>
  readonly sourceHas: (sourceUrl: string) => boolean
}

/** A provider that behaves according to its mode. */
export class ModelProvider {
  mode: ProviderMode = 'normal'
  /** The next paid or transferring call takes effect and then throws Crash. */
  crashesNext = false
  readonly stored = new Set<string>()
  /** Times of additions to data sets unknown to the provider. */
  readonly unknownSetAdditionsMs: number[] = []
  additions = 0
  readonly #deps: ModelProviderDeps

  constructor(deps: ModelProviderDeps) {
    this.#deps = deps
  }

  /** Deletes the bytes of pieces that are in no data set on chain. */
  collectGarbage(): void {
    const held = new Set([...this.#deps.chain.dataSets.values()].flatMap(({ pieces }) => [...pieces.values()]))
    for (const piece of this.stored) if (!held.has(piece)) this.stored.delete(piece)
  }

  client(): ProviderClient {
    const answers: Answers = {
      addPieces: async (call) => this.#die(this.#add(call)),
      additionStatus: async () => this.#refusal() ?? ok({ state: this.mode === 'reverts' ? 'failed' : 'pending' }),
      createDataSet: async ({ extraData }) => this.#die(this.#act(await this.#deps.onCreate(extraData))),
      creationStatus: async () => this.#refusal() ?? ok({ state: this.mode === 'reverts' ? 'failed' : 'pending' }),
      deletePieces: async ({ dataSetId, pieceIds }) =>
        this.#die(this.#act(() => this.#queueRemovals(dataSetId, pieceIds)) as Awaited<ReturnType<ProviderClient['deletePieces']>>),
      findPiece: async (cid) => (this.mode === 'unreachable' ? this.#refusal() : undefined) ?? ok({ isFound: this.stored.has(cid) }),
      pieceUrl: (cid) => `${this.#deps.sender}/${cid}`,
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
    if (!this.crashesNext) return answer
    this.crashesNext = false
    throw new Crash('the process died')
  }

  /** The answer if the mode refuses calls without acting. */
  #refusal() {
    const causes: Partial<Record<ProviderMode, NotSentCause>> = {
      unreachable: { reason: 'unreachable', step: 'connect', detail: 'refused' },
      refuses: { reason: 'invalid', status: 400, detail: 'no' },
      busy: { reason: 'throttled', retryAfterMs: 60_000, detail: 'later' },
    }
    const cause = causes[this.mode]
    if (cause) return notSent(cause)
    return this.mode === 'no_answer' || this.mode === 'node_error' ? lost : undefined
  }

  /** Sends the transaction of a paid call. */
  #act(effect: () => void) {
    const refused = this.#refusal()
    if (refused) return refused
    this.#deps.chain.send(this.#deps.sender, this.mode === 'reverts' ? () => undefined : effect)
    if (this.mode === 'refuses_but_sends' || this.mode === 'refuses_sends_and_discards')
      return notSent({ reason: 'invalid', status: 400, detail: 'no' })
    return this.mode === 'answer_lost' ? lost : ok({ txHash: hash })
  }

  #unknownSet() {
    return notSent({ reason: 'data_set_gone', status: 404, detail: 'unknown' })
  }

  #add({ dataSetId, pieces, extraData }: AddPiecesCall) {
    this.additions++
    const { chain, now } = this.#deps
    if (this.mode === 'unknown_set' || (this.#refusal() === undefined && chain.dataSets.get(dataSetId)?.state !== 'live')) {
      this.unknownSetAdditionsMs.push(now())
      for (const piece of pieces) this.stored.delete(piece)
      return this.#unknownSet()
    }
    const nonce = nonceOf(extraData)
    if (this.#refusal() === undefined && chain.nonces.has(nonce)) return { kind: 'landed' } as const
    if (this.#refusal() === undefined && pieces.some((piece) => !this.stored.has(piece)) && this.mode !== 'refuses_but_sends')
      return notSent({ reason: 'invalid', status: 400, detail: 'subPiece CID not found' })
    if (this.mode === 'refuses_sends_and_discards') for (const piece of pieces) this.stored.delete(piece)
    return this.#act(() => chain.add(dataSetId, nonce, pieces))
  }

  #pull({ pieces, dataSetId }: PullCall): Awaited<ReturnType<ProviderClient['pull']>> {
    if (pieces.length === 0) throw new Error('a pull without sources was sent')
    if (this.mode === 'unknown_set' || (dataSetId !== undefined && this.#deps.chain.dataSets.get(dataSetId)?.state !== 'live'))
      return this.#unknownSet()
    const refused = this.#refusal()
    if (refused) return refused
    return ok({
      status: 'complete',
      pieces: pieces.map(({ pieceCid, sourceUrl }) => {
        const arrives = this.mode !== 'pull_fails' && (this.stored.has(pieceCid) || this.#deps.sourceHas(sourceUrl))
        if (arrives) this.stored.add(pieceCid)
        return { pieceCid, status: arrives ? 'complete' : 'failed' }
      }),
    })
  }

  #queueRemovals(chainId: bigint, pieceIds: readonly bigint[]): void {
    const dataSet = this.#deps.chain.dataSets.get(chainId)
    if (dataSet && dataSet.state !== 'deleted') for (const id of pieceIds) if (dataSet.pieces.has(id)) dataSet.queued.add(id)
  }
}
