import { defineEvent } from '#kernel'

/** The confirmation of a copy needs an operator, or no longer needs one. */
export const confirmationUpdated = defineEvent<{ readonly copy_id: number; readonly state: 'needs_attention' | 'cleared' }>(
  'storage_confirmation_updated',
)
