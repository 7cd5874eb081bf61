import { defineEvent } from '#kernel'

/** A content moved on: more of its copies are on chain. */
export const contentStored = defineEvent<{ readonly content_id: number; readonly bucket_id: number; readonly provider_id: string }>(
  'upload_state_changed',
)

/** An attempt to confirm a copy needs an operator, or does not any more. */
export const confirmationUpdated = defineEvent<{ readonly copy_id: number; readonly state: 'needs_attention' | 'cleared' }>(
  'storage_confirmation_updated',
)
