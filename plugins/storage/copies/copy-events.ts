import { defineEvent } from '#kernel'

/** A content moved on: one more of its copies is on chain. The version is one of those with these bytes. */
export const contentStored = defineEvent<{
  readonly content_id: number
  readonly version_id: string
  readonly object_key: string
  readonly bucket_name: string
  readonly provider_id: string
}>('upload_state_changed')

/** An attempt to confirm a copy needs an operator, or does not any more. */
export const confirmationUpdated = defineEvent<{ readonly copy_id: number; readonly state: 'needs_attention' | 'cleared' }>(
  'storage_confirmation_updated',
)
