/** What holds after every step of a walk. */
import { allRows, getRow } from '#kernel/testing'
import { stateOfColumns } from '../states/replacement-transitions-policy.ts'
import { dataSetsOf, isOpen, recordsOf, type Walk } from './walk.ts'

export const knownStates = [
  'preparing_target',
  'migrating',
  'retiring',
  'waiting.prepare',
  'waiting.migrate',
  'waiting.retire',
  'failed.prepare',
  'failed.migrate',
  'cleanup_attention',
  'completed',
  'superseded',
]

interface Found {
  readonly problems: readonly string[]
  /** States of all records. */
  readonly states: readonly string[]
}

/** Reads little, because long walks spend most of their time here. */
export async function findUnsound(walk: Walk): Promise<Found> {
  const { read } = walk.scene.rows.database
  const all = await recordsOf(walk)
  const open = all.filter(isOpen)
  const problems: string[] = []
  const require = (holds: boolean, problem: string) => holds || problems.push(problem)
  require(open.length <= 1, `${open.length} replacements of the slot are open`)
  for (const one of all) {
    const state = stateOfColumns(one)
    require(knownStates.includes(state), `the state ${state} is not known`)
    const isStopped = one.status === 'failed' || one.status === 'cleanup_attention'
    require((one.waitReason !== null) === (one.status === 'waiting'), `${state} has the wait reason ${one.waitReason}`)
    require((one.lastError !== null) === isStopped, `${state} has the error ${one.lastError}`)
  }
  const slot = await getRow<{ currentId: number }>(
    read,
    'select current_data_set_id as "currentId" from replica_slots where bucket_id = 1 and slot = 0',
  )
  for (const { id, sourceId, targetId, phase, status } of open) {
    // I-48: uploads go to the source before the takeover, and to the target after it.
    if (phase === 'prepare' && status !== 'failed')
      require(slot?.currentId === sourceId, `uploads go to ${slot?.currentId} before the takeover of ${sourceId}`)
    if (phase === 'migrate' || phase === 'retire')
      require(slot?.currentId === targetId, `uploads go to ${slot?.currentId} after the takeover by ${targetId}`)
    const counts = await allRows<Count>(read, countsOfItems, id, id)
    require(counts.every(({ counted, found }) => counted === found), `the counts differ from the items: ${JSON.stringify(counts)}`)
  }
  // No service that was the one of the slot is asked to end before its contents are on its successor.
  for (const { id, state, endCause } of await dataSetsOf(walk))
    if (endCause === 'replaced' && state === 'retired')
      require(!open.some(({ sourceId, phase }) => sourceId === id && phase !== 'retire'), `data set ${id} has ended too early`)
  return { problems, states: all.map(stateOfColumns) }
}

interface Count {
  readonly state: string
  readonly counted: number
  readonly found: number
}

/** Counts that triggers keep, and those of the items. */
const countsOfItems = `select state, sum(counted) as counted, sum(found) as found from (
    select state, n as counted, 0 as found from replacement_counts where replacement_id = ?
    union all select state, 0, 1 from replacement_items where replacement_id = ?
  ) as both_counts group by state`
