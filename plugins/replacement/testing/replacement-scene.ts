/** A bucket with data sets at providers, and its replacements, on a real database. No task runs by itself: tests take the steps. */
import type { Outcome, Tx } from '#kernel'
import { allRows, getRow, runSql, silentLog, startEngine } from '#kernel/testing'
import type { ReplicaSlots } from '#plugins/replication'
import { slotsOver, taskKeys } from '../../replication/testing/slots/slots-scene.ts'
import { openStorageRows, type StorageRows } from '../../replication/testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline } from '../../replication/testing/test-pipeline.ts'
import type { Replacement, ReplacementProgress } from '../contract/records.ts'
import type { Replacements } from '../contract.ts'
import { drive } from '../engine/drive.ts'
import type { Engine } from '../engine/engine.ts'
import { replacementMigrations } from '../migrations/all-migrations.ts'
import { createReplacements } from '../requests/replacements.ts'
import { createReplacementChanges, createReplacementStates } from '../states/replacement-states.ts'

type DataSet = Awaited<ReturnType<StorageRows['addDataSet']>>
export type Content = Awaited<ReturnType<StorageRows['addContent']>>

export interface ReplacementScene extends AsyncDisposable {
  readonly rows: StorageRows
  readonly pipeline: TestPipeline
  readonly slots: ReplicaSlots
  readonly engine: Engine
  readonly service: Replacements
  /** The current data sets of slots 0 and 1, at the providers 1 and 2. */
  readonly source: DataSet
  readonly other: DataSet
  /** Ids of replacements that watchers heard of. */
  readonly heard: number[]
  /** Confirms an automatic replacement of the source unless told otherwise. */
  confirm(command?: Partial<Parameters<Replacements['confirm']>[0]>): ReturnType<Replacements['confirm']>
  step(id: number): Promise<Outcome>
  /** Takes steps until the replacement is as wanted. */
  stepUntil(id: number, isReached: (replacement: Replacement) => boolean): Promise<Replacement>
  find(id: number): Promise<Replacement>
  progress(id: number): Promise<ReplacementProgress>
  /** A content with a committed, final copy on each of these data sets; cached unless told otherwise. */
  addContent(dataSets: readonly DataSet[], options?: { readonly isCached?: boolean }): Promise<Content>
  /** What a task of a data set would do: the data set is on chain. */
  create(dataSetId: number): Promise<void>
  /** The content has this state on the data set; a committed copy is final. */
  setCopy(dataSetId: number, content: Content, state: string): Promise<void>
  cache(content: Content): Promise<void>
  /** Deletes all versions of the content. */
  deleteContent(content: Content): Promise<void>
  /** The open task waits for this, or failed. */
  setTask(
    key: string,
    state: { readonly wait: string; readonly message?: string } | { readonly failure: string; readonly message: string },
  ): Promise<void>
  /** All open tasks of the pipeline end as if they had nothing to do. */
  endTasks(): Promise<void>
  /** The task of the replacement ends. */
  endDrive(id: number): Promise<void>
  /** The data sets end finally. */
  retire(dataSetId: number): Promise<void>
  sql(text: string, ...values: readonly (string | number | null)[]): Promise<void>
}

const provider = (id: number) => ({
  providerId: String(id),
  name: `provider ${id}`,
  address: `0x${id}` as const,
  payee: `0x${id}` as const,
  serviceUrl: `http://provider-${id}`,
  isEndorsed: false,
  latencyMs: id,
  pieceBytesMax: 1_065_353_216,
})

export const availableProvider = provider

export async function openReplacementScene(): Promise<ReplacementScene> {
  const rows = await openStorageRows({ schemas: [{ name: 'replacement', migrations: replacementMigrations }] })
  const { database } = rows
  const pipeline = createTestPipeline(rows)
  const { clock } = pipeline
  const tasks = await startEngine({ database, clock, path: '', [Symbol.asyncDispose]: async () => {} }, {})
  const slots = slotsOver(pipeline, tasks.engine.queue)
  const changes = createReplacementChanges(silentLog)
  const states = createReplacementStates({ clock, log: silentLog, changes })
  const heard: number[] = []
  changes.subscribe((id) => heard.push(id))
  const queue = tasks.engine.queue
  const engine: Engine = { database, clock, log: silentLog, queue, slots, states, settings: { copying_at_once: 4 }, pollMs: 500 }
  const service = createReplacements({ database, clock, queue, slots, states, providers: pipeline.providers })
  pipeline.world.available = [1, 2, 3, 4, 5].map(provider)
  pipeline.world.client = {
    ping: async () => ({ kind: 'ok', value: { elapsedMs: 1 } }),
    headPiece: async () => ({ kind: 'ok', value: { size: 1 } }),
  }
  const source = await rows.addDataSet({ providerId: '1' })
  const other = await rows.addDataSet({ providerId: '2' })
  let requests = 0
  const write = (job: (tx: Tx) => Promise<unknown>) => database.write(async (tx) => void (await job(tx)))
  const sql = (text: string, ...values: readonly (string | number | null)[]) => write((tx) => runSql(tx, text, ...values))
  const find = async (id: number) => {
    const found = await service.find(id)
    if (!found) throw new Error(`there is no replacement ${id}`)
    return found
  }
  const step = (id: number) => drive(engine, id, new AbortController().signal)
  const acts = sceneActs({ rows, write, sql })
  return {
    ...acts,
    rows,
    pipeline,
    slots,
    engine,
    service,
    source,
    other,
    heard,
    sql,
    find,
    step,
    confirm: (command = {}) =>
      service.confirm({
        bucketId: 1,
        dataSetId: source.id,
        mode: 'automatic',
        clientRequestId: `request ${++requests}`,
        origin: 'operator',
        ...command,
      }),
    async stepUntil(id, isReached) {
      for (let steps = 0; steps < 30; steps++) {
        const found = await find(id)
        if (isReached(found)) return found
        await step(id)
      }
      throw new Error(`replacement ${id} stays ${JSON.stringify(await find(id))}`)
    },
    async progress(id) {
      await clock.advance(2000)
      return service.progress(await find(id))
    },
    async [Symbol.asyncDispose]() {
      await tasks[Symbol.asyncDispose]()
      await rows[Symbol.asyncDispose]()
    },
  }
}

interface Acts {
  readonly rows: StorageRows
  readonly write: (job: (tx: Tx) => Promise<unknown>) => Promise<void>
  readonly sql: ReplacementScene['sql']
}

type ActNames = 'addContent' | 'create' | 'setCopy' | 'cache' | 'deleteContent' | 'setTask' | 'endTasks' | 'endDrive' | 'retire'

/** What the tasks of replication and the users of storage would do. */
function sceneActs({ rows, write, sql }: Acts): Pick<ReplacementScene, ActNames> {
  const { database } = rows
  let batches = 0
  async function setCopy(dataSetId: number, content: Content, state: string) {
    await write(async (tx) => {
      await runSql(
        tx,
        `insert into commit_batches (data_set_id, method, state, nonce, extra_data, final_at, created_at, updated_at) values (?, 'pull', ?, ?, '0x', ?, 0, 0)`,
        dataSetId,
        state === 'unconfirmed' ? 'uncertain' : 'confirmed',
        `${dataSetId} ${++batches}`,
        state === 'committed' ? 1 : null,
      )
      await runSql(
        tx,
        `insert into copies (content_id, piece_id, data_set_id, slot, method, state, next_attempt_at, created_at, updated_at)
         select ?, ?, d.id, d.slot, 'store', 'planned', 0, 0, 0 from data_sets d where d.id = ? on conflict do nothing`,
        content.contentId,
        content.pieceId,
        dataSetId,
      )
      await runSql(
        tx,
        `update copies set state = ?, batch_id = (select max(id) from commit_batches), chain_piece_id = ? where content_id = ? and data_set_id = ?`,
        state,
        state === 'committed' ? String(content.contentId) : null,
        content.contentId,
        dataSetId,
      )
    })
  }
  async function cache({ contentId }: Content) {
    await sql(
      `insert into cache_entries (content_id, state, bytes, accessed_at, cached_at) values (?, 'present', 1, 0, 0) on conflict do nothing`,
      contentId,
    )
  }
  return {
    setCopy,
    cache,
    async addContent(dataSets, { isCached = true } = {}) {
      const content = await rows.addContent()
      for (const { id } of dataSets) await setCopy(id, content, 'committed')
      if (isCached) await cache(content)
      return content
    },
    create: (id) => sql(`update data_sets set state = 'ready', chain_id = ? where id = ?`, String(id + 1000), id),
    deleteContent: ({ contentId }) => sql(`update contents set state = 'deleting', ref_count = 0 where id = ?`, contentId),
    async setTask(key, state) {
      const task = await getRow<{ id: number }>(
        database.read,
        `select id from tasks where key = ? and status in ('pending', 'running')`,
        key,
      )
      if (!task) throw new Error(`no open task has the key ${key}`)
      if ('wait' in state)
        return sql('update tasks set wait_reason = ?, message = ? where id = ?', state.wait, state.message ?? null, task.id)
      await sql(
        `update tasks set status = 'failed', error_code = ?, last_error = ?, failed_at = 1 where id = ?`,
        state.failure,
        state.message,
        task.id,
      )
    },
    endTasks: () =>
      sql(`update tasks set status = 'completed', finished_at = 1 where status = 'pending' and kind <> 'storage_replacement'`),
    endDrive: (id) =>
      sql(`update tasks set status = 'completed', finished_at = 1 where status = 'pending' and key = ?`, `storage_replacement:${id}`),
    async retire(id) {
      await sql(`update data_set_endings set state = 'closed', end_epoch = '77' where data_set_id = ?`, id)
      await sql(`update data_sets set state = 'retired' where id = ?`, id)
      await sql(`update tasks set status = 'completed', finished_at = 1 where status = 'pending' and key = ?`, taskKeys.end(id))
    },
  }
}

export const itemStatesOf = ({ rows }: Pick<ReplacementScene, 'rows'>, id: number) =>
  allRows<{ contentId: number; state: string }>(
    rows.database.read,
    'select content_id as "contentId", state from replacement_items where replacement_id = ? order by content_id',
    id,
  )

export { taskKeys }
