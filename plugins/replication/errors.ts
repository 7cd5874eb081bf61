import { defineErrors } from '#kernel'

/** Errors of the replication plugin. Callers map the codes; they never parse the messages. */
export const replicationErrors = defineErrors({
  remote_reads_busy: { status: 503, message: 'Too many objects are being read from providers. Try again soon.' },
})
