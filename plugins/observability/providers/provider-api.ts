/** Endpoints of the health of providers. On-chain ids are decimal text; times are RFC 3339 in UTC. */

import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'
import { healthQuery, healthSummary, signal } from '../health/health-api.ts'
import { uploadSpeedTest } from '../speed-tests/speed-test-api.ts'

const providerIdentity = type({
  registry_provider_id: 'string',
  'name?': 'string',
  'description?': 'string',
  'service_provider_address?': 'string',
  'payee_address?': 'string',
  'service_url?': 'string',
  'location?': 'string',
  'extra_capabilities?': 'Record<string, string>',
})

/** Our own measurements of one kind of transfer. */
const transfer = type({
  calls: 'number.integer',
  failed: 'number.integer',
  /** Mean of recent transfers of at least 256 KiB, with decaying weights. Absent before the first one. */
  'bytes_per_second?': 'number.integer',
  'last_at?': 'string',
})

/** Our own measurements of a provider. Absent before the first call. */
const scorecard = type({
  /** Share of recent calls, with decaying weights; from 0 to 1. */
  success_share: 'number',
  /** Number of all calls since `measured_since`. A refusal is an answer; a call without one failed. */
  calls: 'number.integer',
  failed: 'number.integer',
  measured_since: 'string',
  /** Measured from the first byte to the answer of the provider. */
  'upload?': transfer,
  /** Transfers from another provider. */
  'pull?': transfer,
  /** Reads of objects that are not cached. */
  'read?': transfer,
  'last_failure?': { at: 'string', /** Name such as `upload`. */ call: 'string', /** Word such as `timeout`. */ reason: 'string' },
  'missed_proofs?': { periods: 'number.integer', data_sets: 'number.integer' },
})

const provider = type({
  facts: {
    provider_id: 'string',
    'active?': 'boolean',
    'has_pdp?': 'boolean',
    'service_url?': 'string',
    /** Result of the last ping; `n/a`: not asked. */
    'health_status?': "'reachable' | 'unreachable' | 'n/a'",
    /** Is true on the list of the storage service. */
    'approved?': 'boolean',
    'endorsed?': 'boolean',
    /** Round trip of the last ping. */
    'ping_ms?': 'number.integer',
    /** Data sets of this service there that are not retired. */
    data_sets: 'number.integer',
  },
  signal,
  'upload_speed_test?': uploadSpeedTest,
  'provider_identity?': providerIdentity,
  'scorecard?': scorecard,
})

const query = type({
  ...healthQuery,
  /** Part of the id, name, service URL or location; letter case is ignored. */
  'search?': 'string <= 200',
  /** `true`: only providers with a data set of this service; `false`: only the others. */
  'used?': "'true' | 'false'",
})

const page = type({ items: provider.array(), ...healthSummary })

export const listProviders = defineEndpoint({
  method: 'GET',
  path: '/api/v1/observability/providers',
  summary: 'List the registered providers with their health, by numeric id',
  query,
  answer: page,
  refusals: ['plugin_disabled'],
})

export const refreshProviders = defineEndpoint({
  method: 'POST',
  path: '/api/v1/observability/providers/refresh',
  role: 'operator',
  summary: 'Read the registry and ping the providers, then list them',
  audit: [],
  query,
  answer: page,
  deadlineMs: 160_000,
  refusals: ['plugin_disabled'],
})

export type ProviderHealth = typeof provider.infer
export type ProviderPage = typeof page.infer
export type ProviderScorecard = typeof scorecard.infer
