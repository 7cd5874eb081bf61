import type { Reader } from '#kernel'
import type { BatchState } from '../copies/batch-store.ts'
import type { CopyState } from '../copies/copy-store.ts'
import { type DataSetState, takesPieces } from '../datasets/data-set-store.ts'
import { checkInvariants } from './check-invariants.ts'
import { finalityKey, type ModelRun } from './model-run.ts'

interface StandingCopy {
  readonly id: number
  readonly state: CopyState
  readonly contentId: number
  readonly contentState: 'live' | 'deleting'
  readonly dataSetId: number
  readonly dataSetState: DataSetState
  readonly batchState: BatchState | null
  readonly isCalled: number
  readonly chainId: string | null
  readonly pieceId: string | null
  readonly pieceCid: string | null
}

function standingCopies(read: Reader): readonly StandingCopy[] {
  return read.all<StandingCopy>(
    `select k.id, k.state, k.content_id as "contentId", c.state as "contentState", k.data_set_id as "dataSetId", d.state as "dataSetState",
       b.state as "batchState", b.attention_at is not null as "isCalled", d.chain_id as "chainId",
       k.chain_piece_id as "pieceId", p.piece_cid as "pieceCid"
     from copies k join pieces p on p.id = k.piece_id join contents c on c.id = k.content_id join data_sets d on d.id = k.data_set_id left join commit_batches b on b.id = k.batch_id
     order by k.id`,
  )
}

function isAtRest(run: ModelRun, copy: StandingCopy): boolean {
  const { state, contentState, dataSetState } = copy
  if (state === 'removed' || state === 'failed') return true
  // A deleted content keeps nothing but what the chain still holds.
  if (contentState === 'deleting') return false
  if (state === 'lost') return !takesPieces(dataSetState)
  return state === 'committed' && dataSetState !== 'lost' && !isVanished(run, copy)
}

/** The chain does not have the committed copy any more, or not where it is on record, although its data set is in service. */
function isVanished({ chain }: ModelRun, { state, chainId, pieceId, pieceCid }: StandingCopy): boolean {
  if (state !== 'committed' || chainId === null || pieceId === null) return false
  const dataSet = chain.dataSets.get(BigInt(chainId))
  return dataSet === undefined || (dataSet.state !== 'deleted' && dataSet.pieces.get(BigInt(pieceId)) !== pieceCid)
}

/** The tasks that move a copy on from its state. */
function tasksOf(run: ModelRun, copy: StandingCopy): readonly string[] {
  const { state, contentId, dataSetId, dataSetState, batchState, contentState } = copy
  const [store, pull, commit, ensure] = [`store ${contentId}`, `pull ${dataSetId}`, `commit ${dataSetId}`, `ensure ${dataSetId}`]
  if (state === 'planned') return [store, pull, ensure]
  if (state === 'transferring') return batchState === null ? [store] : [pull]
  if (contentState === 'deleting' && state === 'committed') return [`cleanup ${dataSetId}`]
  if (isVanished(run, copy)) return [finalityKey]
  // A creation that went back wakes the commits when it lands again.
  return dataSetState === 'planned' || dataSetState === 'creating' ? [ensure] : [commit]
}

const isOpenBatch = (state: BatchState | null): boolean => state !== null && state !== 'confirmed' && state !== 'closed'

/** Copies that nothing moves on any more, and that no operator is told of; each in words. */
export function stuckCopies(run: ModelRun): readonly string[] {
  const { tasks, doors } = run
  return standingCopies(doors.database.read)
    .filter((copy) => {
      if (isAtRest(run, copy)) return false
      const holders = tasksOf(run, copy)
      const isFollowed = holders.some((key) => tasks.isOpen(key) || tasks.failed.has(key))
      return !isFollowed || (copy.state === 'attention' && !(isOpenBatch(copy.batchState) && copy.isCalled))
    })
    .map((copy) => `${describe(copy)}; open: ${tasks.keys().join(', ')}; failed: ${[...tasks.failed.keys()].join(', ')}`)
}

/** A removal from a data set that the chain does not know any more can never be confirmed: its task goes on asking. */
const isUnknowable = ({ chain, tasks, tested }: ModelRun, { contentState, dataSetId }: StandingCopy): boolean =>
  contentState === 'deleting' &&
  dataSetId === tested.id &&
  chain.dataSets.get(tested.chainId ?? -1n)?.state !== 'live' &&
  tasks.isOpen(`cleanup ${dataSetId}`)

/** The store task has found that neither the cache nor a provider has the bytes: an operator's entry that no calm resolves. */
const hasNoBytes = (run: ModelRun, { state, contentId }: StandingCopy): boolean =>
  state === 'planned' && !run.cached.has(contentId) && run.tasks.failed.get(`store ${contentId}`) === 'content_missing'

/** Copies that are not at rest. */
export function restlessCopies(run: ModelRun): readonly string[] {
  return standingCopies(run.doors.database.read)
    .filter((copy) => !isAtRest(run, copy) && !hasNoBytes(run, copy) && !isUnknowable(run, copy))
    .map((copy) => `${describe(copy)}; open: ${run.tasks.keys().join(', ')}; failed: ${[...run.tasks.failed].join(', ')}`)
}

const soundRules = /^(I-02|I-04|I-19|I-21|I-22|I-25|I-29)|data_set_totals/

/** Broken invariants, pieces that a data set was paid for twice, and final copies whose piece on chain is another one. */
export function unsoundRows(run: ModelRun): readonly string[] {
  const { read } = run.doors.database
  const wrong = read
    .all<{ id: number; chainId: string; pieceId: string; cid: string }>(
      `select k.id, d.chain_id as "chainId", k.chain_piece_id as "pieceId", p.piece_cid as cid from copies k join pieces p on p.id = k.piece_id
       join data_sets d on d.id = k.data_set_id join commit_batches b on b.id = k.batch_id where k.state = 'committed' and b.final_at is not null`,
    )
    .filter(({ chainId, pieceId, cid }) => {
      const dataSet = run.chain.dataSets.get(BigInt(chainId))
      return dataSet?.state === 'live' && dataSet.pieces.get(BigInt(pieceId)) !== cid && dataSet.pieces.has(BigInt(pieceId))
    })
  return [
    ...checkInvariants(read).filter((problem) => soundRules.test(problem)),
    ...run.chain.duplicates.map((piece) => `I-05: added twice: ${piece}`),
    ...wrong.map(({ id }) => `I-21: copy ${id} names another piece`),
    ...run.providers
      .filter(({ offences }) => isHammered(offences))
      .map(() => 'a provider got five additions to unknown data sets in a minute'),
  ]
}

const isHammered = (atMs: readonly number[]): boolean => atMs.some((at, index) => index >= 4 && at - (atMs[index - 4] as number) < 60_000)

const describe = ({ id, state, batchState, dataSetState, contentState }: StandingCopy) =>
  `copy ${id}: ${state}, batch ${batchState}, data set ${dataSetState}, content ${contentState}`
