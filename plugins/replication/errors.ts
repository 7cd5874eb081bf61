import { defineErrors } from '#kernel'

/** Errors of the replication plugin. Callers map the codes; they never parse the messages. */
export const replicationErrors = defineErrors({
  storage_confirmation_not_found: { status: 404, message: 'No confirmation of this copy needs an operator. List the entries again.' },
  storage_confirmation_unacknowledged: {
    status: 400,
    message: 'The copy may be paid twice. Set acknowledge_possible_duplicate to true to accept this.',
  },
  storage_confirmation_changed: {
    status: 409,
    message: 'The copy has another attempt by now, or its attempt is being sent. List the entries again.',
  },
  storage_confirmation_landed: { status: 409, message: 'The chain has the copy: it is recorded now, and nothing was released.' },
  storage_confirmation_unchecked: {
    status: 503,
    message: 'The chain node does not answer, so the attempt could not be looked up and nothing was released. Try again later.',
  },
  copy_raise_target_changed: {
    status: 409,
    message: 'The number of copies of the bucket is not the one that was shown. Look at the preview again.',
  },
  copy_raise_unfinished: { status: 409, message: 'Another raise of this bucket is not completed yet. Wait for it, or repeat its request.' },
  copy_raise_idempotency_conflict: {
    status: 409,
    message: 'A raise with this client_request_id has another bucket or number of copies. Use a new id.',
  },
  remote_reads_busy: { status: 503, message: 'Too many objects are being read from providers. Try again soon.' },
})
