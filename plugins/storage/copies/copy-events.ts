import { defineEvent } from '#kernel'

/** An attempt to confirm a copy needs an operator, or does not any more. */
export const confirmationUpdated = defineEvent<{ readonly copy_id: number; readonly state: 'needs_attention' | 'cleared' }>(
  'storage_confirmation_updated',
)
