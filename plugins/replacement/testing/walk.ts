/** A random walk of a replacement through what can happen around it. The engine is the real one; the network is played by rows. */
import { allRows } from '#kernel/testing'
import type { Replacement } from '../contract/records.ts'
import { resumeReplacements } from '../engine/resume.ts'
import { availableProvider, type Content, openReplacementScene, type ReplacementScene, taskKeys } from './replacement-scene.ts'

type Random = () => number

/** The same numbers for the same seed. */
function randomOf(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface Walk {
  readonly scene: ReplacementScene
  readonly random: Random
  readonly contents: readonly Content[]
}

const endedStatuses: readonly string[] = ['completed', 'superseded']
const pick = <T>({ random }: Walk, of: readonly T[]): T | undefined => of[Math.floor(random() * of.length)]

export const recordsOf = ({ scene }: Pick<Walk, 'scene'>): Promise<readonly Replacement[]> => scene.service.list({ limit: 100 })

export const isOpen = ({ status }: Pick<Replacement, 'status'>): boolean => !endedStatuses.includes(status)

const openRecords = async (walk: Pick<Walk, 'scene'>): Promise<readonly Replacement[]> => (await recordsOf(walk)).filter(isOpen)

interface DataSetRow {
  readonly id: number
  readonly state: string
  readonly endCause: string | null
}

export const dataSetsOf = ({ scene }: Pick<Walk, 'scene'>): Promise<readonly DataSetRow[]> =>
  allRows<DataSetRow>(
    scene.rows.database.read,
    `select d.id, d.state, e.cause as "endCause" from data_sets d left join data_set_endings e on e.data_set_id = d.id where d.slot = 0 order by d.id`,
  )

const hasTask = ({ scene }: Walk, key: string) => scene.engine.queue.hasOpen(scene.rows.database.read, key)

/** The open task of this kind of the data set waits or fails, if there is one. */
async function trouble(walk: Walk, key: string, reasons: readonly string[], failures: readonly string[]): Promise<void> {
  if (!(await hasTask(walk, key))) return
  const isFailure = walk.random() < 0.3
  const word = pick(walk, isFailure ? failures : reasons) ?? 'provider'
  await walk.scene.setTask(key, isFailure ? { failure: word, message: `it failed: ${word}` } : { wait: word, message: `it waits: ${word}` })
}

const targetOf = async (walk: Walk) => {
  const open = (await openRecords(walk)).find(({ phase }) => phase !== 'none')
  return open && (await dataSetsOf(walk)).find(({ id }) => id === open.targetId)
}

type CopyRow = { readonly contentId: number; readonly state: string }
const copiesOn = ({ scene }: Walk, dataSetId: number) =>
  allRows<CopyRow>(scene.rows.database.read, `select content_id as "contentId", state from copies where data_set_id = ?`, dataSetId)

async function moveCopy(walk: Walk, from: readonly string[], to: readonly string[]): Promise<void> {
  const target = await targetOf(walk)
  if (target?.state !== 'ready') return
  const copy = pick(
    walk,
    (await copiesOn(walk, target.id)).filter(({ state }) => from.includes(state)),
  )
  const content = copy && walk.contents.find(({ contentId }) => contentId === copy.contentId)
  if (content) await walk.scene.setCopy(target.id, content, pick(walk, to) ?? 'planned')
}

/** The end task of a data set does what the real one does: it proves I-48 before it ends a replaced one. */
async function endServices({ scene }: Walk): Promise<void> {
  for (const { id, state, endCause } of await dataSetsOf({ scene })) {
    if (endCause === null || ['retired', 'abandoned'].includes(state)) continue
    if (state === 'planned' || state === 'creating') await scene.sql(`update data_sets set state = 'abandoned' where id = ?`, id)
    else if ((await scene.slots.endBlockedBy(scene.rows.database.read, id)) === undefined) await scene.retire(id)
  }
}

const quiet = (act: Promise<unknown>) => act.then(() => undefined, refusedOnly)

function refusedOnly(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && 'status' in error)) throw error
}

const unreachable = async () => ({ kind: 'not_sent', cause: { reason: 'unreachable', step: 'connect', detail: 'refused' } }) as never

const acts: readonly (readonly [weight: number, name: string, act: (walk: Walk) => Promise<unknown>])[] = [
  [
    40,
    'step',
    async (walk) => {
      const one = pick(walk, await openRecords(walk))
      if (one) await walk.scene.step(one.id)
    },
  ],
  [
    12,
    'creation sent',
    async (walk) => {
      const one = await targetOf(walk)
      if (one?.state === 'planned' && one.endCause === null)
        await walk.scene.sql(`update data_sets set state = 'creating' where id = ?`, one.id)
    },
  ],
  [
    20,
    'created',
    async (walk) => {
      const one = await targetOf(walk)
      if (one?.state === 'creating' && one.endCause === null) await walk.scene.create(one.id)
    },
  ],
  [
    3,
    'creation in trouble',
    async (walk) => {
      const one = await targetOf(walk)
      if (one)
        await trouble(walk, taskKeys.ensure(one.id), ['funding', 'spend_limit', 'provider', 'chain'], ['target_in_use', 'provider_refused'])
    },
  ],
  [
    2,
    'reorganisation',
    async (walk) => {
      const one = await targetOf(walk)
      if (one?.state === 'ready') await walk.scene.sql(`update data_sets set state = 'creating', chain_id = null where id = ?`, one.id)
    },
  ],
  [
    1,
    'target lost',
    async (walk) => {
      const one = await targetOf(walk)
      if (one?.state === 'ready') await walk.scene.sql(`update data_sets set state = 'lost', last_error = 'gone' where id = ?`, one.id)
    },
  ],
  [
    24,
    'copies move on',
    (walk) =>
      moveCopy(
        walk,
        ['planned', 'transferring', 'parked', 'batched', 'unconfirmed', 'attention'],
        ['transferring', 'batched', 'committed', 'committed', 'committed'],
      ),
  ],
  [3, 'copies fall back', (walk) => moveCopy(walk, ['transferring', 'batched', 'committed'], ['planned', 'unconfirmed', 'attention'])],
  [
    4,
    'copying in trouble',
    async (walk) => {
      const one = await targetOf(walk)
      if (one)
        await trouble(
          walk,
          pick(walk, [taskKeys.pull(one.id), taskKeys.store(pick(walk, walk.contents)?.contentId ?? 0)]) ?? '',
          ['funding', 'spend_limit', 'provider'],
          ['provider_refused'],
        )
    },
  ],
  [
    8,
    'the end in trouble',
    async (walk) => {
      const one = pick(
        walk,
        (await dataSetsOf(walk)).filter(({ endCause }) => endCause !== null),
      )
      if (one)
        await trouble(walk, taskKeys.end(one.id), ['payment_debt', 'funding', 'provider', 'chain', 'confirmation'], ['termination_failed'])
    },
  ],
  [2, 'services end', endServices],
  [2, 'provider down', async ({ scene }) => void Object.assign(scene.pipeline.world.client, { ping: unreachable, headPiece: unreachable })],
  [
    2,
    'provider lies',
    async ({ scene }) =>
      void Object.assign(scene.pipeline.world.client, {
        headPiece: async () => ({ kind: 'not_sent', cause: { reason: 'not_found', detail: '404' } }),
      }),
  ],
  [5, 'provider up', async ({ scene }) => void comeUp(scene)],
  [4, 'doubts are settled', ({ scene }) => scene.sql('delete from copy_doubts')],
  [
    2,
    'evicted',
    async (walk) => walk.scene.sql('delete from cache_entries where content_id = ?', pick(walk, walk.contents)?.contentId ?? 0),
  ],
  [
    2,
    'cached',
    async (walk) => {
      const one = pick(walk, walk.contents)
      if (one) await walk.scene.cache(one)
    },
  ],
  [
    1,
    'deleted',
    async (walk) => {
      const one = pick(walk, walk.contents)
      if (one) await walk.scene.deleteContent(one)
    },
  ],
  [1, 'confirmed', (walk) => confirmCurrent(walk)],
  [
    3,
    'retried',
    async (walk) => {
      const one = pick(walk, await openRecords(walk))
      if (one) await quiet(walk.scene.service.retry(one.id))
    },
  ],
  [
    2,
    'killed',
    async (walk) => {
      const one = pick(walk, await openRecords(walk))
      if (one) await walk.scene.endDrive(one.id)
    },
  ],
  [2, 'tasks lost', ({ scene }) => scene.endTasks()],
  [3, 'resumed', ({ scene }) => resumeReplacements(scene.engine, new AbortController().signal)],
  [3, 'later', ({ scene, random }) => scene.pipeline.clock.advance(random() * 120_000)],
]

const weights = acts.reduce((sum, [weight]) => sum + weight, 0)

function comeUp(scene: ReplacementScene): void {
  Object.assign(scene.pipeline.world.client, {
    ping: async () => ({ kind: 'ok', value: { elapsedMs: 1 } }),
    headPiece: async () => ({ kind: 'ok', value: { size: 1 } }),
  })
}

async function confirmCurrent(walk: Walk): Promise<void> {
  const { scene } = walk
  const [slot] = await scene.slots.list(scene.rows.database.read, 1)
  if (slot?.currentId != null) await quiet(scene.confirm({ dataSetId: slot.currentId }))
}

/** Walks begin in each phase: few reach the last one by chance. */
async function goTo({ scene, contents }: Walk, { id, targetId }: Replacement, phase: 'prepare' | 'migrate' | 'retire'): Promise<void> {
  if (phase === 'prepare') return
  await scene.create(targetId)
  await scene.stepUntil(id, (one) => one.phase === 'migrate')
  if (phase === 'migrate') return
  for (const content of contents) await scene.setCopy(targetId, content, 'committed')
  await scene.stepUntil(id, (one) => one.phase === 'retire')
}

export async function beginWalk(seed: number): Promise<Walk> {
  const scene = await openReplacementScene()
  const random = randomOf(seed)
  scene.pipeline.world.available = Array.from({ length: 400 }, (_, index) => availableProvider(index + 1))
  const contents: Content[] = []
  for (let n = 0; n < 4; n++)
    contents.push(await scene.addContent(random() < 0.7 ? [scene.source, scene.other] : [scene.source], { isCached: random() < 0.7 }))
  const { replacement } = await scene.confirm()
  const walk = { scene, random, contents }
  await goTo(walk, replacement, (['prepare', 'migrate', 'retire'] as const)[seed % 3] ?? 'prepare')
  return walk
}

/** One event. Returns its name. */
export async function takeStep(walk: Walk): Promise<string> {
  let left = walk.random() * weights
  for (const [weight, name, act] of acts) {
    left -= weight
    if (left > 0) continue
    await act(walk)
    return name
  }
  return 'none'
}

/** Creates, copies and ends what waits for it. */
async function playNetwork(walk: Walk): Promise<void> {
  const { scene, contents } = walk
  comeUp(scene)
  await scene.pipeline.clock.advance(60_000)
  await scene.sql('delete from copy_doubts')
  for (const content of contents) await scene.cache(content)
  for (const { id, state, endCause } of await dataSetsOf(walk)) {
    if (endCause === null && (state === 'planned' || state === 'creating')) await scene.create(id)
    if (state === 'ready') await commitAll(walk, id)
  }
  await scene.sql(`update commit_batches set state = 'confirmed', final_at = 1`)
  await endServices(walk)
  await scene.sql(`update tasks set wait_reason = null, message = null where status = 'pending'`)
}

async function commitAll(walk: Walk, dataSetId: number): Promise<void> {
  const open = new Set((await copiesOn(walk, dataSetId)).flatMap(({ contentId, state }) => (state === 'committed' ? [] : [contentId])))
  for (const content of walk.contents) if (open.has(content.contentId)) await walk.scene.setCopy(dataSetId, content, 'committed')
}

/** Retries what can be retried, and replaces a target that cannot. */
async function playOperator(walk: Walk, id: number): Promise<void> {
  const { scene } = walk
  const found = await scene.find(id)
  if (found.status !== 'failed' && found.status !== 'cleanup_attention') return
  await scene.endDrive(id)
  if (await scene.service.canRetry(found)) await scene.service.retry(id)
  else await confirmCurrent(walk)
}

const roundsMax = 60

/** The network works, and the operator does what records ask for, until nothing is left. Returns what is still open. */
export async function heal(walk: Walk): Promise<readonly Replacement[]> {
  for (let round = 0; round < roundsMax; round++) {
    const open = await openRecords(walk)
    if (open.length === 0) return open
    await playNetwork(walk)
    await resumeReplacements(walk.scene.engine, new AbortController().signal)
    for (const { id } of open) {
      await walk.scene.step(id)
      await playOperator(walk, id)
    }
  }
  return openRecords(walk)
}
