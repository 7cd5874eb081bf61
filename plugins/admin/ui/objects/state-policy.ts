import type { Answer, IconName, Tone } from '@svc/ui-kit'

export type ObjectItem = Answer<'GET /buckets/:name/objects'>['objects'][number]

interface Words {
  readonly tone: Tone
  readonly icon: IconName
  readonly word: string
  /** What happens now or next. */
  readonly text: string
}

const states: Readonly<Record<ObjectItem['state'], Words>> = {
  cached: { tone: 'info', icon: 'clock', word: 'Cached', text: 'Safe in the cache; no provider has a copy yet.' },
  uploading: { tone: 'info', icon: 'upload', word: 'Uploading', text: 'Its bytes are being sent to the first provider.' },
  committing: { tone: 'info', icon: 'link', word: 'Committing', text: 'Its first copy is being recorded on the chain.' },
  replicating: { tone: 'info', icon: 'layers', word: 'Replicating', text: 'Further copies are being made.' },
  stored: { tone: 'success', icon: 'shield-check', word: 'Stored', text: 'All its copies are recorded on the chain.' },
  failed: { tone: 'danger', icon: 'triangle-alert', word: 'Failed', text: 'Its copies could not be made. The cached bytes stay.' },
}

const unavailable: Words = {
  tone: 'danger',
  icon: 'cloud-off',
  word: 'Unavailable',
  text: 'Neither the cache nor a provider has readable bytes.',
}

const stuck: Words = {
  tone: 'danger',
  icon: 'triangle-alert',
  word: 'Stuck',
  text: 'Copies are missing, and nothing works on them. The page of its life names the next step.',
}

/**
 * Being unreadable matters more than how far its copies are, and a state is no progress while nothing works on it: an object that failed is
 * stuck, and one whose tasks all wait is waiting.
 */
export function describeState({
  state,
  status,
  attention_code,
  copies,
}: Pick<ObjectItem, 'state' | 'status' | 'attention_code' | 'copies'>): Words {
  if (status === 'unavailable') return unavailable
  if (attention_code === 'stuck' || copies?.work === 'stuck') return stuck
  if (copies?.work === 'waiting') return { tone: 'warning', icon: 'clock', word: 'Waiting', text: copies.wait_message ?? 'Its tasks wait.' }
  return states[state]
}

/** The progress of an upload never runs backwards: events and answers may overtake each other. */
export function mergeProgress(
  known: ObjectItem['progress'],
  next: NonNullable<ObjectItem['progress']>,
): NonNullable<ObjectItem['progress']> {
  if (!known || next.attempt > known.attempt) return next
  if (next.attempt < known.attempt || known.done || next.uploaded_bytes < known.uploaded_bytes) return known
  return next
}

type Copy = Answer<'GET /buckets/:name/objects/provenance'>['copies'][number]

/** Worst first. */
const order: readonly Copy['status'][] = ['failed', 'pending', 'piece_ready', 'committing', 'committed']

/** The best copy of each replica: while one moves to another provider it has two, and is one copy. */
export const bestCopies = <C extends Pick<Copy, 'copy_index' | 'status'>>(copies: readonly C[]): readonly C[] =>
  [...Map.groupBy(copies, ({ copy_index }) => copy_index).values()].flatMap(
    (ofReplica) => ofReplica.toSorted((a, b) => order.indexOf(b.status) - order.indexOf(a.status))[0] ?? [],
  )
