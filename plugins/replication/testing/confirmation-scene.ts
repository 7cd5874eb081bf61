import { allRows } from '#kernel/testing'
import type { AddPiecesCall, NonceOutcome, ProviderClient } from '#plugins/providers'
import { ok, uncertain } from '../../providers/testing/index.ts'
import { type ConfirmationEntry, listEntries } from '../confirmations/confirmation-store.ts'
import { commitPieces } from '../copies/batches/commit-pieces.ts'
import type { PipelineContent } from '../copies/records/copy-store.ts'
import type { DataSet } from '../datasets/data-set-store.ts'
import { waitIfChainUnreachable } from '../pipeline.ts'
import { openStorageRows, type StorageRows } from './storage-rows.ts'
import { createTestPipeline, type TestPipeline, testEpochMs } from './test-pipeline.ts'

type Answer = Awaited<ReturnType<ProviderClient['addPieces']>>

const answerLost: Answer = uncertain({ reason: 'connection_lost', detail: 'reset' })
export const addTxHash = `0x${'ab'.repeat(32)}` as const
export const answerAccepted: Answer = ok({ txHash: addTxHash })

interface AttemptRow {
  readonly id: number
  readonly state: string
  readonly nonce: string
}

/** A data set with parked pieces, a provider whose answers the test sets, and a chain on which the test lets attempts land. */
export interface ConfirmationScene extends AsyncDisposable {
  readonly rows: StorageRows
  readonly deps: TestPipeline
  readonly dataSet: DataSet
  readonly contents: readonly PipelineContent[]
  /** Every addition that was sent. */
  readonly additions: readonly AddPiecesCall[]
  readonly landings: Map<bigint, NonceOutcome>
  /** Makes every read of the chain fail until it is called with false. */
  silenceChain(isSilent: boolean): void
  /** What the provider answers to the next additions. */
  answerWith(answer: Answer): void
  commit(): ReturnType<typeof commitPieces>
  /** Commits once after `forMs`. */
  later(forMs?: number): ReturnType<typeof commitPieces>
  /** Sends the parked pieces with a lost answer, and lets the attention time pass without proof of the outcome. */
  loseUntilAttention(): Promise<void>
  /** Attempts by id. */
  attempts(): Promise<readonly AttemptRow[]>
  /** The attempt is on chain; the last of its piece ids is `nextPieceId - 1`. */
  land(attempt: number, nextPieceId: bigint): Promise<void>
  entries(limit?: number): Promise<readonly ConfirmationEntry[]>
  /** State and piece id of each copy. */
  copies(): Promise<readonly (readonly [state: string, pieceId: string | null])[]>
  /** Piece ids with an open removal. */
  removals(): Promise<readonly string[]>
}

export async function openConfirmationScene({ pieces = 1 }: { readonly pieces?: number } = {}): Promise<ConfirmationScene> {
  const rows = await openStorageRows()
  const deps = createTestPipeline(rows)
  const dataSet = await rows.addDataSet()
  const contents: PipelineContent[] = []
  for (let n = 0; n < pieces; n++) contents.push(await rows.addContent({ copies: 1 }))
  for (const content of contents) await rows.addCopy(content, dataSet, 'parked')
  const { read } = rows.database
  const additions: AddPiecesCall[] = []
  const landings = new Map<bigint, NonceOutcome>()
  let answer: Answer = answerLost
  let isSilent = false
  const outcomeOf = async (_payer: string, nonce: bigint): Promise<NonceOutcome> => {
    if (isSilent) throw Object.assign(new Error('no answer'), { code: 'chain_unreachable' })
    return landings.get(nonce) ?? { landed: false }
  }
  Object.assign(deps.reads, { nonceOutcome: outcomeOf, nonceAt: outcomeOf })
  deps.world.client = {
    addPieces: async (call) => {
      additions.push(call)
      return answer
    },
    findPiece: async () => ok({ isFound: true }),
    additionStatus: async () => ok({ state: 'pending' }),
  }
  const { signal } = new AbortController()
  const commit = () => waitIfChainUnreachable(deps, () => commitPieces(deps, dataSet.id, signal))
  const later = async (forMs = testEpochMs) => {
    await deps.clock.advance(forMs)
    return commit()
  }
  const attempts = () => allRows<AttemptRow>(read, 'select id, state, nonce from commit_batches order by id')
  return {
    rows,
    deps,
    dataSet,
    contents,
    additions,
    landings,
    silenceChain(silent) {
      isSilent = silent
    },
    answerWith(next) {
      answer = next
    },
    commit,
    later,
    async loseUntilAttention() {
      answer = answerLost
      // The provider's sender always has a transaction that is not final.
      deps.world.sent = { pooled: 9, final: 3 }
      await later(deps.pace.batchingWindowMs)
      await later(deps.pace.attentionMs)
      await later(testEpochMs * 20)
    },
    attempts,
    async land(attempt, nextPieceId) {
      const row = (await attempts())[attempt]
      if (!row) throw new Error(`there is no attempt ${attempt}`)
      landings.set(BigInt(row.nonce), { landed: true, dataSetId: dataSet.chainId ?? 0n, nextPieceId })
    },
    entries: (limit = 100) => listEntries(read, limit),
    copies: async () =>
      (await allRows<{ state: string; piece: string | null }>(read, 'select state, chain_piece_id as piece from copies order by id')).map(
        ({ state, piece }) => [state, piece] as const,
      ),
    removals: async () =>
      (
        await allRows<{ piece: string }>(
          read,
          "select chain_piece_id as piece from removals where state not in ('removed', 'data_set_ended') order by id",
        )
      ).map(({ piece }) => piece),
    [Symbol.asyncDispose]: () => rows[Symbol.asyncDispose](),
  }
}
