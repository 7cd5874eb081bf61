/** Copies of a version as the page shows them. Pure. */
import type { Tone } from '@svc/ui-kit'
import type { Copy, Provenance } from '../state-policy.ts'
import type { ReplicaSlot } from './replica-strip.tsx'

const slotStates = {
  pending: 'pending',
  piece_ready: 'parked',
  committing: 'committing',
  committed: 'stored',
  failed: 'failed',
} as const satisfies Record<Copy['status'], ReplicaSlot['state']>

/** One slot per requested copy, and further ones for copies beyond that number. A slot without a copy is pending. */
export function slotsOf({ copies, requested_copies }: Pick<Provenance, 'copies' | 'requested_copies'>): readonly ReplicaSlot[] {
  const given = [...copies]
    .sort((a, b) => a.copy_index - b.copy_index)
    .map(({ status, provider_id }) => ({
      state: slotStates[status],
      ...(provider_id === undefined ? {} : { name: `Provider ${provider_id}` }),
    }))
  const missing = Math.max(0, requested_copies - given.length)
  return [...given, ...Array.from({ length: missing }, () => ({ state: 'pending' as const }))]
}

export const copyLabels: Readonly<Record<Copy['status'], string>> = {
  pending: 'Pending',
  piece_ready: 'At the provider',
  committing: 'Committing',
  committed: 'Committed',
  failed: 'Failed',
}

export const copyTones: Readonly<Record<Copy['status'], Tone>> = {
  pending: 'neutral',
  piece_ready: 'info',
  committing: 'info',
  committed: 'success',
  failed: 'danger',
}

export const transferLabels: Readonly<Record<Copy['transfer_method'], string>> = {
  ingress: 'Upload',
  peer_pull: 'Pull from a provider',
}

/** Copies with an error of their latest attempt. */
export const failuresOf = (copies: readonly Copy[]): readonly Copy[] => copies.filter(({ health }) => health.last_error !== undefined)

/** Addresses come from providers: only web addresses become links. */
export function safeUrl(text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined
  const { protocol } = new URL(text)
  return protocol === 'https:' || protocol === 'http:' ? text : undefined
}
