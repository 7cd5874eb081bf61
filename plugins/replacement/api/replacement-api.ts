/** Endpoints of replacements of storage providers. */
import { defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'
import { plainText } from '#kernel/system'
import { replacementStatuses } from '../states/replacement-transitions-policy.ts'
import { replacementRecord } from './record-api.ts'

export const replacementPageSizes = { usual: 50, max: 100 } as const

const id = type('string.integer.parse').to('1 <= number.integer <= 9007199254740991')
const dataSetPath = type({
  name: type('string').narrow(documented({ minLength: 3, maxLength: 63 })),
  /** The service's own id of the data set that gets the uploads of its replica. */
  id,
})
const replacementPath = type({ id })

const dataSetRefusals = ['bucket_not_found', 'replacement_data_set_not_found', 'replacement_source_not_current']

const candidate = type({
  provider_id: 'string',
  /** May take over the replica by a manual choice. */
  eligible: 'boolean',
  /** `blocked`: by a plugin; `piece_too_large`: it refuses pieces of the largest size of this service. */
  'ineligible_reason?': "'current_source' | 'already_serves_bucket' | 'blocked' | 'piece_too_large'",
  /** The bucket used it and has fully retired it: svc does not choose it again by itself. */
  previously_used: 'boolean',
  provider_identity: { registry_provider_id: 'string', name: 'string', service_url: 'string' },
  /** Mean of our recent uploads; absent before the first one that was large enough to measure. */
  'upload_bytes_per_second?': 'number.integer',
  /** Too many of our recent calls failed. */
  failing: 'boolean',
})

export const listCandidates = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name/data-sets/:id/replacement/providers',
  summary: 'List the available providers that could take over the replica of a data set; ineligible ones have a reason',
  params: dataSetPath,
  answer: type({ providers: candidate.array() }),
  deadlineMs: 60_000,
  refusals: [...dataSetRefusals, 'replacement_service_unavailable'],
})

/** Form errors have codes of their own, so the members are read by the handler. */
const confirmBody = type({
  'client_request_id?': plainText.narrow(documented({ description: 'Idempotency key: 1 to 128 characters after trimming' })),
  'mode?': type('unknown').narrow(documented({ enum: ['automatic', 'manual'] })),
  'provider_id?': type('unknown').narrow(
    documented({ type: 'string', pattern: '^\\d+$', description: 'The chosen provider; only with `manual`' }),
  ),
}).narrow(documented({ required: ['client_request_id', 'mode'] }))

export const confirmReplacement = defineEndpoint({
  method: 'POST',
  path: '/api/v1/buckets/:name/data-sets/:id/replacement',
  role: 'operator',
  summary:
    'Create a new paid service for a replica, move its uploads there, copy its contents, and end the old service; an exact replay answers 200',
  audit: ['mode', 'provider_id', 'client_request_id'],
  params: dataSetPath,
  body: confirmBody,
  bytesMax: 4096,
  answer: replacementRecord,
  status: 201,
  alsoStatus: 200,
  deadlineMs: 60_000,
  refusals: [
    'client_request_id_required',
    'replacement_target_invalid',
    ...dataSetRefusals,
    'replacement_idempotency_conflict',
    'replacement_active',
    'replacement_source_creating',
    'replacement_target_unavailable',
    'replacement_target_in_use',
    'replacement_no_eligible_provider',
    'replacement_service_unavailable',
  ],
})

export const listReplacements = defineEndpoint({
  method: 'GET',
  path: '/api/v1/storage-replacements',
  summary: 'List replacements of storage providers, newest first',
  query: type({
    'status?': type.enumerated(...replacementStatuses),
    /** Only those of this bucket. */
    'bucket?': plainText.and('string > 0'),
    'limit?': type('string.integer.parse')
      .to(`1 <= number.integer <= ${replacementPageSizes.max}`)
      .narrow(documented({ default: replacementPageSizes.usual })),
    /** The `next_cursor` of the page before. */
    'cursor?': id,
  }),
  answer: type({ replacements: replacementRecord.array(), 'next_cursor?': 'number.integer' }),
  refusals: ['bucket_not_found'],
})

export const showReplacement = defineEndpoint({
  method: 'GET',
  path: '/api/v1/storage-replacements/:id',
  summary: 'Show a replacement of a storage provider with its progress',
  params: replacementPath,
  answer: replacementRecord,
  refusals: ['replacement_not_found'],
})

export const retryReplacement = defineEndpoint({
  method: 'POST',
  path: '/api/v1/storage-replacements/:id/retry',
  role: 'operator',
  summary: 'Resume a replacement that failed, or whose cleanup needs an operator, with the same provider',
  audit: [],
  params: replacementPath,
  body: type({}),
  isBodyOptional: true,
  bytesMax: 4096,
  answer: replacementRecord,
  refusals: [
    'replacement_not_found',
    'replacement_superseded',
    'replacement_not_retryable',
    'replacement_task_running',
    'replacement_target_in_use',
    'replacement_target_unavailable',
  ],
})

export type Candidate = typeof candidate.infer
