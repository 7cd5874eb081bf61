import { type Tx, within } from '#kernel'
import { isChainUnreachable } from '#plugins/wallet'
import { verificationCalls } from '../chain/verification-calls.ts'
import type { DataSetFinding, Standings, StoredCopy } from '../contract.ts'
import { type DataSetGoneDeps, followEnd } from '../copies/losses/data-set-gone.ts'
import { findDataSet } from '../datasets/data-set-store.ts'
import type { Pipeline } from '../pipeline.ts'
import { listFacts, listMoving } from './data-set-facts-store.ts'
import { findStanding, isServing, listStandings, renameReason, type StoredStanding, setStanding } from './standing-store.ts'
import { storedCopies } from './stored-copy-store.ts'

type StandingsDeps = DataSetGoneDeps & Pick<Pipeline, 'schedule'>

export function createStandings(deps: StandingsDeps): Standings {
  const { database, log } = deps
  return {
    listDataSets: (filter) => listFacts(database.read, filter),
    copiesOf: (contentId) => listCopies(deps, contentId),
    movingPieces: () => listMoving(database.read),
    async reportDataSets(findings) {
      const stored = new Map((await listStandings(database.read)).map((standing) => [standing.dataSetId, standing]))
      for (const finding of findings) {
        if (isChanged(stored.get(finding.dataSetId), finding)) await database.write((tx) => changeStanding(deps, tx, finding))
        if (!finding.isClosed) continue
        try {
          await followClosed(deps, finding)
        } catch (error) {
          if (!isChainUnreachable(error)) throw error
          // The next look finds it again.
          log.warn('the end of a data set could not be checked', { dataSet: finding.dataSetId, error })
        }
      }
    },
  }
}

/** Shown without the view contract when the chain does not answer in time. */
const viewMs = 3000

async function listCopies({ database, chain, signer }: StandingsDeps, contentId: number): Promise<readonly StoredCopy[]> {
  const view = await within(
    viewMs,
    chain.warmStorageView().catch(() => undefined),
    () => undefined,
  )
  const place = { contracts: chain.network.contracts, view, payer: signer.address }
  return (await storedCopies(database.read, contentId)).map((copy) => {
    const { state, chainDataSetId: dataSetId, pieceId, pieceCid } = copy
    const isProvable = state === 'committed' && dataSetId !== null && pieceId !== null && pieceCid !== null
    return { ...copy, verify: isProvable ? verificationCalls({ ...place, dataSetId, pieceId, pieceCid }) : [] }
  })
}

const isChanged = (stored: StoredStanding | undefined, { reason }: DataSetFinding): boolean =>
  (stored?.reason ?? null) !== reason || (stored !== undefined && stored.countedTo !== null)

/** I-53: what the chain denies does not count as durable, and counts again when the chain stops to deny it. Nothing else follows. */
async function changeStanding({ clock, schedule, states, log }: StandingsDeps, tx: Tx, finding: DataSetFinding): Promise<void> {
  const { dataSetId, chainId, reason } = finding
  const stored = await findStanding(tx, dataSetId)
  if ((stored?.reason ?? null) !== reason) {
    if (reason !== null && !(await isServing(tx, dataSetId, chainId))) return
    if (stored && stored.reason !== null && reason !== null) await renameReason(tx, dataSetId, reason)
    else await setStanding(tx, { dataSetId, reason, nowMs: clock.now() })
    await states.dataSets.announce(tx, dataSetId)
    tx.afterCommit(() =>
      reason === null
        ? log.info('the copies on a data set count as durable again', { dataSet: dataSetId, chainId })
        : log.warn('the copies on a data set do not count as durable', { dataSet: dataSetId, chainId, reason }),
    )
  }
  await schedule.standing(tx, dataSetId)
}

/** The table of states decides by its own look at the chain, which lasts long enough that a lagging node ends nothing. */
async function followClosed(deps: StandingsDeps, { dataSetId, chainId, reason }: DataSetFinding): Promise<void> {
  const dataSet = await findDataSet(deps.database.read, dataSetId)
  if (!dataSet || dataSet.chainId === null || dataSet.chainId.toString() !== chainId) return
  const isNew = dataSet.state === 'ready' || (dataSet.state === 'write_blocked' && reason === 'not_on_chain')
  if (isNew) await followEnd(deps, dataSet)
}
