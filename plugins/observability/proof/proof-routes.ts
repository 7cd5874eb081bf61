import { clock, database, defineRoutes, formatTime, optional, type Reader, serveEndpoint } from '#kernel'
import { providers } from '#plugins/providers'
import { type StoredCopy, standings } from '#plugins/replication'
import { objects } from '#plugins/storage'
import { chainClient, signer } from '#plugins/wallet'
import { type DataSetObservers, dataSetObservers } from '../data-sets/data-set-observer.ts'
import { type EpochClock, epochClock } from '../data-sets/describe-data-set.ts'
import { observabilityErrors } from '../errors.ts'
import { requirePart } from '../health/require-part.ts'
import { lastSamples } from '../samples/sample-store.ts'
import { type ProvenCopy, proveObject } from './proof-api.ts'

export const proofRoutes = defineRoutes({
  name: 'object-proof',
  uses: {
    database,
    clock,
    observers: dataSetObservers,
    standings: optional(standings),
    objects: optional(objects),
    chain: optional(chainClient),
    signer: optional(signer),
    providers: optional(providers),
  },
  endpoints: [proveObject],
  register(app, { database, clock, ...found }) {
    serveEndpoint(app, proveObject, async ({ params, query: { key, version_id } }) => {
      const objects = requirePart(found.objects, 'storage')
      const [observers, standings] = [requirePart(found.observers.found, 'replication'), requirePart(found.standings, 'replication')]
      const [chain, payer] = [requirePart(found.chain, 'wallet'), requirePart(found.signer, 'wallet').address]
      const version = await objects.find(params.name, key, version_id)
      if (!version || version.isDeleteMarker) throw observabilityErrors.proof_version_not_found()
      const [copies, round] = await Promise.all([
        version.contentId === null ? [] : standings.copiesOf(version.contentId),
        observers.lastRound(),
      ])
      const epochs = epochClock(round, chain.network.epochSeconds * 1000)
      const described = await describeCopies({ read: database.read, observers, epochs }, copies)
      return {
        bucket: params.name,
        key: version.key,
        version_id: version.versionId,
        size: version.size,
        etag: version.etag,
        created_at: formatTime(version.createdAtMs),
        issued_at: formatTime(clock.now()),
        ...(round && { epoch: String(round.epoch) }),
        network: chain.network.name,
        chain_id: chain.network.chainId,
        payer,
        copies: described.map((copy, index) => ({ ...copy, ...nameOf(found.providers?.nameOf(copies[index]?.providerId ?? '')) })),
      }
    })
  },
})

const nameOf = (name: string | undefined) => (name ? { provider_name: name } : {})

interface DescribeDeps {
  readonly read: Reader
  readonly observers: DataSetObservers
  readonly epochs: EpochClock | undefined
}

async function describeCopies({ read, observers, epochs }: DescribeDeps, copies: readonly StoredCopy[]): Promise<readonly ProvenCopy[]> {
  const dataSetIds = [...new Set(copies.map(({ dataSetId }) => dataSetId))]
  const [seen, samples, histories] = await Promise.all([
    observers.find(dataSetIds),
    lastSamples(
      read,
      copies.flatMap(({ copyId, pieceCid }) => (pieceCid === null ? [] : { copyId, pieceCid })),
    ),
    Promise.all(dataSetIds.map(async (id) => [id, await observers.history(id)] as const)),
  ])
  const historyOf = new Map(histories)
  const at = (name: string, epoch: number | null | undefined) =>
    epoch == null ? {} : { [`${name}_epoch`]: String(epoch), ...(epochs && { [`${name}_at`]: epochs.timeOf(epoch) }) }
  return copies.map((copy) => {
    const found = seen.get(copy.dataSetId)
    const observation = found?.chainId === copy.chainDataSetId ? found : undefined
    const sample = samples.get(copy.copyId)
    return {
      ...describeCopy(copy),
      ...(observation?.proving == null || observation.proving === 'not_started' ? {} : at('last_proven', observation.lastProven)),
      ...at('next_due', observation?.nextDue),
      history: (observation ? (historyOf.get(copy.dataSetId) ?? []) : []).map(({ period, endEpoch, isProven }) => ({
        period: String(period),
        end_epoch: String(endEpoch),
        ended_at: epochs?.timeOf(endEpoch) ?? '',
        proven: isProven,
      })),
      ...(sample && { last_read: { at: formatTime(sample.atMs), result: sample.result } }),
    }
  })
}

function describeCopy(copy: StoredCopy): Omit<ProvenCopy, 'history'> {
  const { chainDataSetId, pieceCid, pieceId, transaction, committedAtMs } = copy
  const isServed = pieceCid !== null && !['planned', 'transferring', 'failed'].includes(copy.state)
  return {
    copy_index: copy.copyIndex,
    part: copy.part,
    size: copy.length,
    status: statuses[copy.state],
    counts: copy.counts,
    provider_id: copy.providerId,
    service_url: copy.serviceUrl,
    local_data_set_id: copy.dataSetId,
    ...(chainDataSetId === null ? {} : { data_set_id: chainDataSetId }),
    ...(pieceCid === null ? {} : { piece_cid: pieceCid }),
    ...(pieceId === null ? {} : { piece_id: pieceId }),
    ...(isServed ? { retrieval_url: new URL(`piece/${encodeURIComponent(pieceCid)}`, `${copy.serviceUrl.replace(/\/$/, '')}/`).href } : {}),
    ...(transaction === null ? {} : { transaction }),
    ...(committedAtMs === null ? {} : { committed_at: formatTime(committedAtMs) }),
    verify: copy.verify.map(({ shows, contract, signature, args, expected }) => ({
      shows,
      contract,
      function: signature,
      arguments: [...args],
      ...(expected === undefined ? {} : { expected }),
    })),
  }
}

const statuses = {
  planned: 'pending',
  transferring: 'pending',
  parked: 'piece_ready',
  batched: 'committing',
  unconfirmed: 'committing',
  attention: 'committing',
  committed: 'committed',
  failed: 'failed',
} as const satisfies Record<StoredCopy['state'], ProvenCopy['status']>
