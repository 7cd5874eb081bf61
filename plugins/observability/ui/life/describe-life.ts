/** The life of one object version, from the proof and the provenance of the API. Pure. */
import { type Answer, formatBytes, formatPlural, type Tone } from '@svc/ui-kit'

export type Proof = Answer<'GET /buckets/:name/objects/proof'>
export type ProvenCopy = Proof['copies'][number]
export type Provenance = Answer<'GET /buckets/:name/objects/provenance'>
export type Copy = Provenance['copies'][number]
export type Version = Answer<'GET /buckets/:name/objects/versions'>['versions'][number]

/** The state in a word. It is no progress while no task works on the copies. */
export function stateLook({ state, attention_code }: Pick<Provenance, 'state' | 'attention_code'>): {
  readonly word: string
  readonly tone: Tone
} {
  const word = attention_code === 'stuck' ? attention_code : state
  const tone = word === 'stored' ? 'success' : word === 'stuck' || word === 'failed' ? 'danger' : word === 'cached' ? 'neutral' : 'info'
  return { word: word.charAt(0).toUpperCase() + word.slice(1), tone }
}

/** Copies with an error of their latest attempt. */
export const failuresOf = (copies: readonly Copy[]): readonly Copy[] => copies.filter(({ health }) => health.last_error !== undefined)

/** Addresses come from providers: only web addresses become links. */
export function safeUrl(text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined
  const { protocol } = new URL(text)
  return protocol === 'https:' || protocol === 'http:' ? text : undefined
}

/** The copy in one replica slot: what the service says about it, and its pieces, which are several for a large object. */
export interface Slot {
  readonly copyIndex: number
  readonly copy: Copy | undefined
  readonly pieces: readonly ProvenCopy[]
}

export function toSlots(proof: Proof | undefined, provenance: Provenance | undefined): readonly Slot[] {
  const copies = new Map((provenance?.copies ?? []).map((copy) => [copy.copy_index, copy]))
  const pieces = Map.groupBy(proof?.copies ?? [], ({ copy_index }) => copy_index)
  return [...new Set([...copies.keys(), ...pieces.keys()])]
    .sort((a, b) => a - b)
    .map((copyIndex) => ({
      copyIndex,
      copy: copies.get(copyIndex),
      pieces: [...(pieces.get(copyIndex) ?? [])].sort((a, b) => a.part - b.part),
    }))
}

export interface JourneyStep {
  readonly id: 'accepted' | 'cached' | 'copied' | 'proven'
  readonly label: string
  readonly text: string
  /** The moment of the step, for the page to show. */
  readonly time?: string | undefined
  readonly state: 'done' | 'current' | 'waiting' | 'failed'
}

interface Known {
  readonly proof: Proof
  readonly provenance: Provenance | undefined
  readonly version: Version | undefined
}

/** PUT → cache → copies → proofs. */
export function journeyOf({ proof, provenance, version }: Known): readonly JourneyStep[] {
  const pieces = proof.copies.filter(({ status }) => status === 'committed')
  return [
    {
      id: 'accepted',
      label: 'Accepted',
      text: `${formatBytes(proof.size)}, durable on the local disk`,
      time: proof.created_at,
      state: 'done',
    },
    cacheStep(version),
    copyStep(pieces, provenance),
    proofStep(pieces),
  ]
}

function cacheStep(version: Version | undefined): JourneyStep {
  const step = { id: 'cached', label: 'Cache', state: 'done' } as const
  if (!version) return { ...step, text: 'Not known', state: 'waiting' }
  if (version.location.cache) return { ...step, text: 'The bytes are in the cache' }
  if (version.location.chain) return { ...step, text: 'Evicted: reads come from a provider' }
  return { ...step, text: 'The bytes are nowhere readable', state: 'failed' }
}

function copyStep(pieces: readonly ProvenCopy[], provenance: Provenance | undefined): JourneyStep {
  const step = { id: 'copied', label: 'Copies' } as const
  if (!provenance) return { ...step, text: 'Not known', state: 'waiting' }
  const { success_copies: done, requested_copies: wanted, state, attention_code } = provenance
  const text = `${done} of ${wanted} stored`
  const time = pieces
    .flatMap(({ committed_at }) => committed_at ?? [])
    .sort()
    .at(-1)
  if (wanted > 0 && done >= wanted) return { ...step, text, time, state: 'done' }
  if (state === 'failed' || attention_code === 'stuck') return { ...step, text, state: 'failed' }
  return { ...step, text, state: wanted === 0 ? 'waiting' : 'current' }
}

function proofStep(pieces: readonly ProvenCopy[]): JourneyStep {
  const step = { id: 'proven', label: 'Proofs' } as const
  const proven = pieces.filter(({ last_proven_at }) => last_proven_at !== undefined)
  const time = proven
    .flatMap(({ last_proven_at }) => last_proven_at ?? [])
    .sort()
    .at(-1)
  if (pieces.length === 0) return { ...step, text: 'After the first stored copy', state: 'waiting' }
  if (proven.length === 0) return { ...step, text: 'The first one is not due yet', state: 'current' }
  const denied = pieces.filter(({ counts }) => !counts).length
  if (denied > 0) return { ...step, text: `${formatPlural(denied, 'piece does', 'pieces do')} not count as durable`, time, state: 'failed' }
  const text = proven.length === pieces.length ? 'All of its pieces are proven' : `${proven.length} of ${pieces.length} pieces proven`
  return { ...step, text, time, state: proven.length === pieces.length ? 'done' : 'current' }
}

const readWords: Readonly<Record<NonNullable<ProvenCopy['last_read']>['result'], string>> = {
  intact: 'intact',
  missing: 'missing: the provider does not have it',
  wrong_bytes: 'other bytes than ours',
  unreachable: 'no answer',
}

export const readText = ({ result }: NonNullable<ProvenCopy['last_read']>): string => readWords[result]

/** The read as a command of Foundry; the node is the reader's own choice. */
export const toCastCommand = ({ contract, function: signature, arguments: args }: ProvenCopy['verify'][number]): string =>
  ['cast call', contract, `'${signature}'`, ...args, '--rpc-url "$RPC_URL"'].join(' ')

/** Is a name that file systems accept. */
export const proofFileName = ({ bucket, version_id }: Pick<Proof, 'bucket' | 'version_id'>): string =>
  `proof-${bucket}-${version_id}`.replaceAll(/[^\w.-]/g, '_').concat('.json')
