import { defineRoutes, formatTime, serveEndpoint, within } from '#kernel'
import { costPolicy } from '#plugins/wallet'
import { type Pipeline, pipeline } from '../pipeline.ts'
import { type Confirmation, confirmationPageSizes, listConfirmations, releaseConfirmation, releaseGroup } from './confirmation-api.ts'
import { attemptIdOf, type ConfirmationEntry, listEntries } from './confirmation-store.ts'
import { releaseAttempt } from './release-attempt.ts'
import { releaseCopy } from './release-copy.ts'

export const confirmationRoutes = defineRoutes({
  name: 'storage-confirmations',
  uses: { pipeline },
  endpoints: [listConfirmations, releaseGroup, releaseConfirmation],
  register(app, { pipeline }) {
    serveEndpoint(app, listConfirmations, async ({ query }) => {
      const entries = await listEntries(pipeline.database.read, query.limit ?? confirmationPageSizes.usual)
      const fees = entries.length === 0 ? undefined : await readFees(pipeline)
      return entries.map((entry) => ({ ...describe(entry), ...(fees && { repeat_fees: fees }) }))
    })

    serveEndpoint(app, releaseGroup, async ({ body }) => {
      const { expected_attempt_id: attemptId, acknowledge_possible_duplicate: isAcknowledged } = body
      return await releaseAttempt(pipeline, { attemptId, isAcknowledged })
    })

    serveEndpoint(app, releaseConfirmation, async ({ params, body }) => {
      const { expected_attempt_id: attemptId, acknowledge_possible_duplicate: isAcknowledged } = body
      await releaseCopy(pipeline, { copyId: params.copyId, attemptId, isAcknowledged })
      return { copy_id: params.copyId, status: 'released' } as const
    })
  },
})

/** A node that answers later does not delay the list, which then has no fees. */
const viewMs = 2000

async function readFees({ clock, funds }: Pick<Pipeline, 'clock' | 'funds'>): Promise<Confirmation['repeat_fees']> {
  const named = await within(viewMs, funds.prices(), () => undefined, clock)
  if (!named) return undefined
  const { addPiecesBaseFee, addPiecesPerPieceFee } = (await costPolicy()).parsePrices(named.list)
  return { call: String(addPiecesBaseFee), piece: String(addPiecesPerPieceFee) }
}

function describe(entry: ConfirmationEntry): Confirmation {
  const { chainId, pieceCid, txHash, objectKey } = entry
  return {
    copy_id: entry.copyId,
    content_id: entry.contentId,
    bucket: entry.bucket,
    ...(objectKey === null ? {} : { object_key: objectKey }),
    copy_index: entry.slot,
    data_set_row_id: entry.dataSetId,
    ...(chainId === null ? {} : { data_set_id: chainId.toString() }),
    provider_id: entry.providerId,
    ...(pieceCid === null ? {} : { piece_cid: pieceCid }),
    attempt_id: attemptIdOf(entry),
    ...(txHash === null ? {} : { transaction_id: txHash }),
    reason_code: entry.code,
    attempted_at: formatTime(entry.attemptedAtMs),
    attention_at: formatTime(entry.attentionAtMs),
  }
}
