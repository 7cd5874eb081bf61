import { defineRoutes, formatTime, serveEndpoint } from '#kernel'
import { pipeline } from '../pipeline.ts'
import { type Confirmation, confirmationPageSizes, listConfirmations, releaseConfirmation } from './confirmation-api.ts'
import { attemptIdOf, type ConfirmationEntry, listEntries } from './confirmation-store.ts'
import { releaseCopy } from './release-copy.ts'

export const confirmationRoutes = defineRoutes({
  name: 'storage-confirmations',
  uses: { pipeline },
  endpoints: [listConfirmations, releaseConfirmation],
  register(app, { pipeline }) {
    serveEndpoint(app, listConfirmations, async ({ query }) =>
      (await listEntries(pipeline.database.read, query.limit ?? confirmationPageSizes.usual)).map(describe),
    )

    serveEndpoint(app, releaseConfirmation, async ({ params, body }) => {
      const { expected_attempt_id: attemptId, acknowledge_possible_duplicate: isAcknowledged } = body
      await releaseCopy(pipeline, { copyId: params.copyId, attemptId, isAcknowledged })
      return { copy_id: params.copyId, status: 'released' } as const
    })
  },
})

function describe(entry: ConfirmationEntry): Confirmation {
  const { chainId, pieceCid, txHash } = entry
  return {
    copy_id: entry.copyId,
    content_id: entry.contentId,
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
