/** Steps, choices and refusals of the wizard. Pure. */
import type { Answer } from '@svc/ui-kit'

export type Candidate = Answer<'GET /buckets/:name/data-sets/:id/replacement/providers'>['providers'][number]
export type DataSet = Answer<'GET /buckets/:name'>['data_sets'][number]
export type Step = 'why' | 'who' | 'review'
export type Mode = 'automatic' | 'manual'

const steps = [
  { id: 'why', label: 'Why', help: 'What moves' },
  { id: 'who', label: 'Who', help: 'The new provider' },
  { id: 'review', label: 'Review', help: 'What it costs' },
] as const satisfies readonly { readonly id: Step; readonly label: string; readonly help: string }[]

export function stepperOf(current: Step) {
  const at = steps.findIndex(({ id }) => id === current)
  return steps.map((step, index) => ({
    ...step,
    state: index < at ? ('done' as const) : index === at ? ('current' as const) : ('waiting' as const),
  }))
}

const reasons: Readonly<Record<NonNullable<Candidate['ineligible_reason']>, string>> = {
  current_source: 'This is the provider to replace.',
  already_serves_bucket: 'It stores a replica of this bucket already.',
  blocked: 'It is blocked.',
  piece_too_large: 'It refuses the largest objects of this service.',
}

/** An entry of the list of providers. */
export function optionOf(
  { provider_id, provider_identity, eligible, ineligible_reason, previously_used, ...candidate }: Candidate,
  formatBytes: (bytes: number) => string,
) {
  const facts = [
    candidate.upload_bytes_per_second === undefined ? 'not measured yet' : `uploads at ${formatBytes(candidate.upload_bytes_per_second)}/s`,
    ...(candidate.failing ? ['recent calls failed'] : []),
    ...(previously_used ? ['used by this bucket before, retired'] : []),
  ]
  return {
    value: provider_id,
    label: `${provider_identity.name} · provider ${provider_id}`,
    help: facts.join(', '),
    lockedReason: eligible ? undefined : ineligible_reason && reasons[ineligible_reason],
  }
}

/** The provider that svc would choose now: the first one that the bucket never used. */
export const automaticChoice = (candidates: readonly Candidate[]): Candidate | undefined =>
  candidates.find(({ eligible, previously_used }) => eligible && !previously_used)

interface Choice {
  readonly mode: Mode
  /** Id; empty before one is chosen. */
  readonly provider: string
}

/** The provider that would get the replica, as far as the page knows. */
export function chosenOf({ mode, provider }: Choice, candidates: readonly Candidate[] = []): Candidate | undefined {
  if (mode === 'automatic') return automaticChoice(candidates)
  return candidates.find(({ provider_id, eligible }) => eligible && provider_id === provider)
}

/** Why a step cannot be left; undefined when it can. */
export function problemOf(step: Step, choice: Choice, candidates: readonly Candidate[] | undefined): string | undefined {
  if (step === 'why') return undefined
  if (!candidates) return 'The providers are not known yet.'
  if (chosenOf(choice, candidates)) return undefined
  return choice.mode === 'manual' ? 'Choose a provider.' : 'No available provider is left that this bucket never used. Choose one by hand.'
}

const ofChoice: ReadonlySet<string> = new Set([
  'replacement_target_invalid',
  'replacement_target_unavailable',
  'replacement_target_in_use',
  'replacement_no_eligible_provider',
])
const ofReplica: ReadonlySet<string> = new Set(['replacement_source_not_current', 'replacement_active', 'replacement_data_set_not_found'])

/**
 * Where a refusal leads. choice: another provider is needed · replica: this data set cannot be replaced any more · new_request: the id of
 * the request is used · repeat: the same request may be sent again.
 */
export function afterRefusal(code: string | undefined): 'choice' | 'replica' | 'new_request' | 'repeat' {
  if (code === undefined) return 'repeat'
  if (ofChoice.has(code)) return 'choice'
  if (ofReplica.has(code)) return 'replica'
  return code === 'replacement_idempotency_conflict' ? 'new_request' : 'repeat'
}

const idBytes = 16

/** One id per opening of the wizard, kept also after a lost answer: a repeat is never a second replacement. */
export const newRequestId = (): string =>
  `ui-${[...crypto.getRandomValues(new Uint8Array(idBytes))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
