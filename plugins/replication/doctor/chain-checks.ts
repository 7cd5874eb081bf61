/** Compares the rows with the chain. */
import { defineDoctorCheck, type Finding, type Look, type LookPage } from '#kernel/system'
import { type Liveness, type WarmStorageReads, warmStorageReads } from '#plugins/providers'
import {
  dataSetsAfter,
  findPiece,
  piecesAfter,
  type RecordedDataSet,
  type RecordedPiece,
  someDataSets,
  somePieces,
  unrecordedIds,
} from './chain-store.ts'

/** Reads of one page; those of a page are sent as few requests. */
const dataSetsPerPage = 50
const piecesPerPage = 100

export const chainDataSetsCheck = defineDoctorCheck({
  name: 'replication.chain-data-sets',
  title: 'Data sets against the chain: live, not terminated',
  proves: [],
  cost: 'whole',
  needs: 'network',
  uses: { reads: warmStorageReads },
  async look({ reads }, look): Promise<LookPage> {
    const { read, after = '0', sample } = look
    const page = { after: Number(after), limit: dataSetsPerPage }
    const found = sample === undefined ? await dataSetsAfter(read, page) : await someDataSets(read, sample)
    const findings = await Promise.all(found.map(async (dataSet) => toLiveness(dataSet, await reads.liveness(BigInt(dataSet.chainId)))))
    return { findings: findings.flat(), compared: found.length, ...nextOf(look, found.length === dataSetsPerPage && found.at(-1)?.id) }
  },
})

function toLiveness({ id, chainId, bucket }: RecordedDataSet, liveness: Liveness): readonly Finding[] {
  if (liveness.live) return []
  const isTerminated = liveness.reason === 'terminated'
  const finding: Finding = {
    severity: isTerminated ? 'warning' : 'error',
    subject: { kind: 'data set', id: chainId, bucket },
    message: isTerminated
      ? `its payment was terminated: the provider keeps it until epoch ${liveness.endEpoch ?? 'unknown'}`
      : `it is recorded as usable (row ${id}), but the chain has no such data set (${liveness.reason})`,
    repair: 'svc notices it with the next addition and plans its copies on another data set; svc admin bucket info shows the progress',
  }
  return [finding]
}

export const chainPiecesCheck = defineDoctorCheck({
  name: 'replication.chain-pieces',
  title: 'Committed copies against the chain: the piece is live under the recorded id, with the recorded CID',
  proves: ['I-27'],
  cost: 'whole',
  needs: 'network',
  uses: { reads: warmStorageReads },
  async look({ reads }, look): Promise<LookPage> {
    const { read, after = '0', sample } = look
    const page = { after: Number(after), limit: piecesPerPage }
    const found = sample === undefined ? await piecesAfter(read, page) : await somePieces(read, sample)
    const findings = await Promise.all(found.map((piece) => comparePiece(look, reads, piece)))
    return { findings: findings.flat(), compared: found.length, ...nextOf(look, found.length === piecesPerPage && found.at(-1)?.copyId) }
  },
})

async function comparePiece({ read }: Look, reads: WarmStorageReads, piece: RecordedPiece): Promise<readonly Finding[]> {
  const [dataSetId, pieceId] = [BigInt(piece.dataSetId), BigInt(piece.pieceId)]
  const [state, cid] = await Promise.all([reads.pieceState(dataSetId, pieceId), reads.pieceCidOf(dataSetId, pieceId)])
  // A data set that is not live is reported by its own check.
  if (state === 'unknowable' || (state === 'live' && cid === piece.pieceCid)) return []
  // The copy may have been removed since.
  if ((await findPiece(read, piece.copyId))?.pieceId !== piece.pieceId) return []
  return [
    {
      severity: 'error',
      invariant: 'I-27',
      subject: subjectOf(piece),
      message:
        state === 'gone'
          ? `piece ${piece.pieceId} of data set ${piece.dataSetId} is not on chain`
          : `piece ${piece.pieceId} of data set ${piece.dataSetId} is ${cid} on chain instead of ${piece.pieceCid}`,
      repair:
        'Run svc doctor again in some minutes: svc repairs what a reorganisation removed. If it stays, report it with svc doctor --json',
    },
  ]
}

export const unrecordedPiecesCheck = defineDoctorCheck({
  name: 'replication.chain-unrecorded',
  title: 'Pieces that are live in our data sets against the copies: none is paid for without a row',
  proves: ['I-24'],
  cost: 'whole',
  needs: 'network',
  uses: { reads: warmStorageReads },
  async look({ reads }, look): Promise<LookPage> {
    if (look.sample !== undefined) {
      const dataSets = await someDataSets(look.read, Math.min(look.sample, dataSetsPerPage))
      const perSet = Math.ceil(look.sample / Math.max(1, dataSets.length))
      let compared = 0
      const findings: Finding[] = []
      for (const dataSet of dataSets) {
        const ids = randomIds(await reads.addedPieces(BigInt(dataSet.chainId)), perSet)
        compared += ids.length
        findings.push(...(await findUnrecorded(look, reads, { dataSet, ids })))
      }
      return { findings, compared }
    }
    const [after = '0', from = '0'] = look.after?.split('/') ?? []
    // The data set of the cursor again, unless all its ids were read.
    const [dataSet] = await dataSetsAfter(look.read, { after: Number(after), limit: 1 })
    if (dataSet === undefined) return { findings: [], compared: 0 }
    const end = await reads.addedPieces(BigInt(dataSet.chainId))
    const ids = range(BigInt(from), end)
    const last = BigInt(from) + BigInt(ids.length)
    const next = last < end ? `${after}/${last}` : `${dataSet.id}/0`
    return { findings: await findUnrecorded(look, reads, { dataSet, ids }), compared: ids.length, next }
  },
})

interface Ids {
  readonly dataSet: RecordedDataSet
  readonly ids: readonly bigint[]
}

async function findUnrecorded({ read }: Look, reads: WarmStorageReads, { dataSet, ids }: Ids): Promise<readonly Finding[]> {
  if (ids.length === 0) return []
  const dataSetId = BigInt(dataSet.chainId)
  const states = await Promise.all(ids.map((id) => reads.pieceState(dataSetId, id)))
  const live = ids.filter((_, index) => states[index] === 'live').map(String)
  // Rows after the chain: what was live then is recorded now, unless its outcome is still open.
  const unrecorded = live.length === 0 ? [] : ((await unrecordedIds(read, dataSet.id, live)) ?? [])
  return unrecorded.map((id) => ({
    severity: 'error',
    invariant: 'I-24',
    subject: { kind: 'piece', id: `${id} of data set ${dataSet.chainId}`, bucket: dataSet.bucket },
    message: 'the piece is live on chain and paid for, but no row has it',
    repair: 'Check that no second svc uses this wallet; restore the newest backup of the database, or report it with svc doctor --json',
  }))
}

const range = (from: bigint, end: bigint): readonly bigint[] =>
  Array.from({ length: Math.max(0, Math.min(piecesPerPage, Number(end - from))) }, (_, index) => from + BigInt(index))

/** Different ids below `end`, at most `count`. */
function randomIds(end: bigint, count: number): readonly bigint[] {
  const size = Number(end)
  if (size <= count) return Array.from({ length: size }, (_, index) => BigInt(index))
  const chosen = new Set<number>()
  while (chosen.size < Math.min(count, piecesPerPage)) chosen.add(Math.floor(Math.random() * size))
  return [...chosen].map(BigInt)
}

export const subjectOf = ({ copyId, bucket, key }: RecordedPiece): Finding['subject'] => ({
  kind: 'copy',
  id: String(copyId),
  bucket,
  ...(key !== null && { key }),
})

export const nextOf = ({ sample }: Look, last: number | false | undefined): { readonly next?: string } =>
  sample === undefined && typeof last === 'number' ? { next: String(last) } : {}
