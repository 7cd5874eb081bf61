import { defineErrors } from '#kernel'

export const replacementErrors = defineErrors({
  client_request_id_required: { status: 400, message: 'client_request_id must have 1 to 128 characters after trimming.' },
  replacement_not_found: { status: 404, message: 'No replacement has this id. List the replacements again.' },
  replacement_data_set_not_found: {
    status: 404,
    message: 'The bucket has no data set with this id. Read the details of the bucket again.',
  },
  replacement_target_invalid: {
    status: 400,
    message: 'The choice of the provider is not valid. mode is automatic, or manual with the provider_id of another provider.',
  },
  /** Has the status 400 when an operator chose a provider that is not available. */
  replacement_target_unavailable: {
    status: 409,
    message: 'The provider or its data set cannot be used any more. Confirm the replacement again with another provider.',
  },
  replacement_target_in_use: { status: 409, message: 'The provider already stores a replica of the bucket. Choose another provider.' },
  replacement_no_eligible_provider: {
    status: 409,
    message:
      'No available provider that the bucket never used can take the replica. Choose a provider by hand, or wait until others answer.',
  },
  replacement_active: {
    status: 409,
    message: 'The data set is the target of a replacement that is not finished. Retry that replacement instead.',
  },
  replacement_source_not_current: {
    status: 409,
    message: 'The data set does not receive writes any more. Only the current data set of a replica can be replaced.',
  },
  replacement_source_creating: {
    status: 409,
    message: 'The data set is still being created. Try again when its creation is decided.',
  },
  replacement_superseded: { status: 409, message: 'A later confirmation took the place of the replacement. Look at the newest one.' },
  replacement_not_retryable: { status: 409, message: 'Only a replacement that failed or whose cleanup needs an operator can be retried.' },
  replacement_task_running: { status: 409, message: 'The task of the replacement is still running. Try again in a moment.' },
  replacement_idempotency_conflict: {
    status: 409,
    message: 'The client_request_id was used for another replacement; nothing was changed. Use a new id.',
  },
  what_if_provider_unknown: { status: 404, message: 'No registered provider has this id, and no data set is there.' },
  replacement_service_unavailable: {
    status: 503,
    message: 'The providers cannot be listed now, because the chain does not answer; nothing was changed. Try again later.',
  },
})
