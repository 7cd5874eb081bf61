/** The proof of where the copies of an object version are. On-chain ids and epochs are decimal text; times are RFC 3339 in UTC. */

import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'

/** A read of a contract that anybody can repeat at a node of the chain, such as with `cast call`. */
const call = type({
  /** What the answer shows. */
  shows: 'string',
  contract: 'string',
  /** A signature such as `getPieceCid(uint256,uint256)`. */
  function: 'string',
  arguments: 'string[]',
  /** The answer that the proof states, as text; absent where it changes with time. */
  'expected?': 'string',
})

const period = type({
  /** Number of the proving period of the data set. */
  period: 'string',
  end_epoch: 'string',
  /** Computed from the epoch. */
  ended_at: 'string',
  proven: 'boolean',
})

const copy = type({
  copy_index: 'number.integer',
  /** Counts from 0; an object larger than a piece has several. */
  part: 'number.integer',
  size: 'number.integer',
  status: "'pending' | 'piece_ready' | 'committing' | 'committed' | 'failed'",
  /** Whether the copy counts as durable. */
  counts: 'boolean',
  provider_id: 'string',
  'provider_name?': 'string',
  service_url: 'string',
  local_data_set_id: 'number.integer',
  'data_set_id?': 'string',
  'piece_cid?': 'string',
  'piece_id?': 'string',
  'retrieval_url?': 'string',
  /** The transaction that added the piece, as the provider reported it. */
  'transaction?': 'string',
  'committed_at?': 'string',
  'last_proven_epoch?': 'string',
  'last_proven_at?': 'string',
  'next_due_epoch?': 'string',
  'next_due_at?': 'string',
  /** Ended proving periods of the last six weeks, newest first. A period that no check saw is absent. */
  history: period.array(),
  /** The last time that the service read the whole piece from the provider and compared it. */
  'last_read?': { at: 'string', result: "'intact' | 'missing' | 'wrong_bytes' | 'unreachable'" },
  verify: call.array(),
})

export const proveObject = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name/objects/proof',
  summary: 'Prove where the copies of an object version are, with the calls that verify it on chain without this service',
  params: type({ name: 'string > 0' }),
  query: type({ key: 'string > 0', /** Default: the current version. */ 'version_id?': 'string > 0' }),
  answer: type({
    bucket: 'string',
    key: 'string',
    version_id: 'string',
    size: 'number.integer',
    etag: 'string',
    created_at: 'string',
    /** When and at which epoch this was put together. */
    issued_at: 'string',
    'epoch?': 'string',
    network: 'string',
    chain_id: 'number.integer',
    /** The address that pays for the data sets. */
    payer: 'string',
    copies: copy.array(),
  }),
  refusals: ['bucket_not_found', 'proof_version_not_found', 'plugin_disabled'],
})

export type ObjectProof = (typeof proveObject)['answer']['infer']
export type ProvenCopy = typeof copy.infer
