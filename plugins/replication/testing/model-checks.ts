import type { Reader } from '#kernel'
import { allRows, insertTaskRow, runSql } from '#kernel/testing'
import type { BatchState } from '../states/tables/batch-transitions-policy.ts'
import type { CopyState } from '../states/tables/copy-transitions-policy.ts'
import { type DataSetState, takesPieces } from '../states/tables/data-set-transitions-policy.ts'
import { pageOfStuckContents } from '../stuck/stuck-contents-store.ts'
import { countStuckSets } from '../stuck/stuck-sets-store.ts'
import { taskKeys } from '../task-keys.ts'
import { checkInvariants } from './check-invariants.ts'
import { finalityKey, type ModelRun } from './model-run.ts'

interface ModelCopy {
  readonly id: number
  readonly state: CopyState
  readonly contentId: number
  readonly contentState: 'live' | 'deleting'
  readonly dataSetId: number
  readonly dataSetState: DataSetState
  readonly batchState: BatchState | null
  readonly hasAttention: number
  readonly chainId: string | null
  readonly pieceId: string | null
  readonly pieceCid: string | null
}

function readCopies(read: Reader): Promise<readonly ModelCopy[]> {
  return allRows<ModelCopy>(
    read,
    `select k.id, k.state, k.content_id as "contentId", c.state as "contentState", k.data_set_id as "dataSetId", d.state as "dataSetState",
       b.state as "batchState", b.attention_at is not null as "hasAttention", d.chain_id as "chainId",
       k.chain_piece_id as "pieceId", p.piece_cid as "pieceCid"
     from copies k join pieces p on p.id = k.piece_id join contents c on c.id = k.content_id join data_sets d on d.id = k.data_set_id left join commit_batches b on b.id = k.batch_id
     order by k.id`,
  )
}

function isSettled(run: ModelRun, copy: ModelCopy): boolean {
  const { state, contentState, dataSetState } = copy
  if (state === 'removed' || state === 'failed') return true
  // Copies of a deleted content must be removed.
  if (contentState === 'deleting') return false
  if (state === 'lost') return !takesPieces(dataSetState)
  return state === 'committed' && dataSetState !== 'lost' && !isMissingOnChain(run, copy)
}

/** Whether a committed copy is missing on chain or has another piece id there, although its data set exists. */
function isMissingOnChain({ chain }: ModelRun, { state, chainId, pieceId, pieceCid }: ModelCopy): boolean {
  if (state !== 'committed' || chainId === null || pieceId === null) return false
  const dataSet = chain.dataSets.get(BigInt(chainId))
  return dataSet === undefined || (dataSet.state !== 'deleted' && dataSet.pieces.get(BigInt(pieceId)) !== pieceCid)
}

/** Keys of the tasks that advance a copy in its state. */
function tasksOf(run: ModelRun, copy: ModelCopy): readonly string[] {
  const { state, contentId, dataSetId, dataSetState, batchState, contentState } = copy
  const [store, pull, commit, ensure] = [`store ${contentId}`, `pull ${dataSetId}`, `commit ${dataSetId}`, `ensure ${dataSetId}`]
  if (state === 'planned') return [store, pull, ensure]
  if (state === 'transferring') return batchState === null ? [store] : [pull]
  if (contentState === 'deleting' && state === 'committed') return [`cleanup ${dataSetId}`]
  if (isMissingOnChain(run, copy)) return [finalityKey]
  // After a reorganisation of its creation the data set is `creating` again, and its landing wakes the commit task.
  return dataSetState === 'planned' || dataSetState === 'creating' ? [ensure] : [commit]
}

const isOpenBatch = (state: BatchState | null): boolean => state !== null && state !== 'confirmed' && state !== 'closed'

/** Copies that no task advances and no operator was notified of, as messages. */
export async function stuckCopies(run: ModelRun): Promise<readonly string[]> {
  const { tasks, pipeline } = run
  return (await readCopies(pipeline.database.read))
    .filter((copy) => {
      if (isSettled(run, copy)) return false
      const keys = tasksOf(run, copy)
      const hasTask = keys.some((key) => tasks.isOpen(key) || tasks.failed.has(key))
      return !hasTask || (copy.state === 'attention' && !(isOpenBatch(copy.batchState) && copy.hasAttention))
    })
    .map((copy) => `${describe(copy)}; open: ${tasks.keys().join(', ')}; failed: ${[...tasks.failed.keys()].join(', ')}`)
}

/**
 * The contents and data sets for which the product would enqueue a task (I-43), as messages: none, because every step enqueues what its
 * rows need. A failed task counts as open here: it waits for an operator.
 */
export async function reportedStuck(run: ModelRun): Promise<readonly string[]> {
  const { database } = run.pipeline
  await database.write(async (tx) => {
    await runSql(tx, 'delete from tasks')
    await runSql(tx, `insert into copy_keepers (name, was_absent) values ('replication', 0) on conflict do nothing`)
    for (const key of new Set([...run.tasks.keys(), ...run.tasks.failed.keys()])) {
      const [kind = '', id] = key.split(' ')
      const toKey = taskKeys[kind as keyof typeof taskKeys]
      const taskKey = typeof toKey === 'function' ? toKey(Number(id)) : taskKeys.finality
      const rowId = await insertTaskRow(tx, { kind, status: 'pending', atMs: 0 })
      await runSql(tx, 'update tasks set key = ? where id = ?', taskKey, rowId)
    }
  })
  const stuck = await pageOfStuckContents(database.read, { bucketId: 0, storeState: '', id: 0 }, 1000)
  const sets = Object.entries(await countStuckSets(database.read)).filter(([, count]) => count > 0)
  return [...stuck.ids.map((id) => `content ${id}`), ...sets.map(([work, count]) => `${count} data sets without ${work}`)].map(
    (what) => `${what}; open: ${run.tasks.keys().join(', ')}; failed: ${[...run.tasks.failed.keys()].join(', ')}`,
  )
}

/** A removal from a data set that is not live on chain can never be confirmed: its task keeps polling. */
const isUnconfirmable = ({ chain, tasks, testedId }: ModelRun, { contentState, dataSetId, chainId }: ModelCopy): boolean =>
  contentState === 'deleting' &&
  dataSetId === testedId &&
  chain.dataSets.get(BigInt(chainId ?? -1))?.state !== 'live' &&
  tasks.isOpen(`cleanup ${dataSetId}`)

/** The store task failed because neither the cache nor a provider has the bytes: ending all faults does not help. */
const hasNoBytes = (run: ModelRun, { state, contentId }: ModelCopy): boolean =>
  state === 'planned' && !run.cached.has(contentId) && run.tasks.failed.get(`store ${contentId}`) === 'content_missing'

/** Copies that are not in a final state, as messages. */
export async function unsettledCopies(run: ModelRun): Promise<readonly string[]> {
  return (await readCopies(run.pipeline.database.read))
    .filter((copy) => !isSettled(run, copy) && !hasNoBytes(run, copy) && !isUnconfirmable(run, copy))
    .map((copy) => `${describe(copy)}; open: ${run.tasks.keys().join(', ')}; failed: ${[...run.tasks.failed].join(', ')}`)
}

const checkedRules = /^(I-02|I-04|I-19|I-21|I-22|I-25|I-29)|data_set_totals/

/** Violated invariants, pieces paid twice in a data set, final copies with another piece on chain, and providers sent too many bad additions. */
export async function findViolations(run: ModelRun): Promise<readonly string[]> {
  const { read } = run.pipeline.database
  const wrong = (
    await allRows<{ id: number; chainId: string; pieceId: string; cid: string }>(
      read,
      `select k.id, d.chain_id as "chainId", k.chain_piece_id as "pieceId", p.piece_cid as cid from copies k join pieces p on p.id = k.piece_id
       join data_sets d on d.id = k.data_set_id join commit_batches b on b.id = k.batch_id where k.state = 'committed' and b.final_at is not null`,
    )
  ).filter(({ chainId, pieceId, cid }) => {
    const dataSet = run.chain.dataSets.get(BigInt(chainId))
    return dataSet?.state === 'live' && dataSet.pieces.get(BigInt(pieceId)) !== cid && dataSet.pieces.has(BigInt(pieceId))
  })
  return [
    ...(await checkInvariants(read)).filter((problem) => checkedRules.test(problem)),
    ...run.chain.duplicates.map((piece) => `I-05: added twice: ${piece}`),
    ...wrong.map(({ id }) => `I-21: copy ${id} has another piece on chain`),
    ...run.providers
      .filter(({ unknownSetAdditionsMs }) => exceedsRate(unknownSetAdditionsMs))
      .map(() => 'a provider got five additions to unknown data sets in a minute'),
  ]
}

/** Pieces on chain, in data sets that are live, that no open task removes: beyond one per copy of a live content. Empty once all is at rest. */
export async function surplusPieces(run: ModelRun): Promise<readonly string[]> {
  const wanted = new Set(
    (
      await allRows<{ chainId: string; pieceId: string }>(
        run.pipeline.database.read,
        `select d.chain_id as "chainId", k.chain_piece_id as "pieceId" from copies k join data_sets d on d.id = k.data_set_id
         where k.state = 'committed' and d.chain_id is not null`,
      )
    ).map(({ chainId, pieceId }) => `${chainId} ${pieceId}`),
  )
  return [...run.chain.dataSets].flatMap(([chainId, { state, pieces }]) =>
    state !== 'live'
      ? []
      : [...pieces].filter(([id]) => !wanted.has(`${chainId} ${id}`)).map(([id, cid]) => `piece ${id} (${cid}) of data set ${chainId}`),
  )
}

const exceedsRate = (atMs: readonly number[]): boolean => atMs.some((at, index) => index >= 4 && at - (atMs[index - 4] as number) < 60_000)

const describe = ({ id, state, batchState, dataSetState, contentState }: ModelCopy) =>
  `copy ${id}: ${state}, batch ${batchState}, data set ${dataSetState}, content ${contentState}`
