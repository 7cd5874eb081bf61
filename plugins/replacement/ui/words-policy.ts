/** Words and tones of replacements. The API decides what can be done with one; nothing here computes it. Pure. */
import type { Answer, Tone } from '@svc/ui-kit'

export type Replacement = Answer<'GET /storage-replacements/:id'>
type Status = Replacement['status']
type Progress = Replacement['progress']

export const statusTones: Readonly<Record<Status, Tone>> = {
  preparing_target: 'info',
  migrating: 'info',
  waiting: 'neutral',
  retiring: 'info',
  cleanup_attention: 'warning',
  failed: 'danger',
  completed: 'success',
  superseded: 'neutral',
}

export const statusLabels: Readonly<Record<Status, string>> = {
  preparing_target: 'Preparing',
  migrating: 'Copying',
  waiting: 'Waiting',
  retiring: 'Ending the old service',
  cleanup_attention: 'Needs a decision',
  failed: 'Failed',
  completed: 'Completed',
  superseded: 'Superseded',
}

export const statuses = Object.keys(statusLabels) as readonly Status[]

/** Returns undefined for a value that the API would refuse, as of a link that was changed by hand. */
export const readStatus = (text: string): Status | undefined => statuses.find((status) => status === text)

const idDigits = /^[1-9]\d{0,15}$/

/** Returns undefined for text that is no id. */
export const readId = (text: string): string | undefined => (idDigits.test(text) && Number.isSafeInteger(Number(text)) ? text : undefined)

/** What it does now, as a sentence. */
export const statusSentences: Readonly<Record<Status, string>> = {
  preparing_target: 'The new service is being created. Uploads still go to the old provider.',
  migrating: 'Uploads go to the new provider, and the contents are being copied to it.',
  waiting: 'It is paused and continues by itself. Waiting is not a failure.',
  retiring: 'All contents can be read from the new provider. The old service is being ended.',
  cleanup_attention: 'The new provider has everything. The end of the old service needs an operator.',
  failed: 'It does not continue by itself.',
  completed: 'The replica is at the new provider, and the old service has ended.',
  superseded: 'A later confirmation took its place. The service that it began is ended.',
}

/** What a replacement waits for; the message of the API has the details. */
export const waitTitles: Readonly<Record<NonNullable<Replacement['wait_reason']>, string>> = {
  target_creating: 'Waiting until the chain confirms the new service',
  target_writable: 'Waiting until the new service takes uploads',
  target: 'Waiting until the new provider answers',
  funding: 'Waiting for a deposit',
  spend_limit: 'Waiting at a spend limit',
  source: 'Waiting for contents that neither the cache nor another provider has',
  retirement: 'Waiting until the old service may end',
  turn: 'Waiting for its turn',
}

const ended: readonly Status[] = ['completed', 'superseded']
export const isEnded = ({ status }: Pick<Replacement, 'status'>): boolean => ended.includes(status)
export const needsOperator = ({ status }: Pick<Replacement, 'status'>): boolean => status === 'failed' || status === 'cleanup_attention'

type StepState = 'done' | 'current' | 'waiting' | 'failed'

const phases = ['prepare', 'migrate', 'retire'] as const
const steps = {
  prepare: { label: 'Prepare', help: 'Create the new service' },
  migrate: { label: 'Copy', help: 'Move uploads, copy the contents' },
  retire: { label: 'Retire', help: 'End the old service' },
} as const

/** The three stages; none for a superseded one, whose stage is not known any more. */
export function stepsOf(replacement: Pick<Replacement, 'status' | 'progress'>) {
  const { status, progress } = replacement
  if (status === 'superseded') return []
  const at = status === 'completed' ? phases.length : (phases as readonly string[]).indexOf(progress.phase)
  const current: StepState = needsOperator(replacement) ? 'failed' : 'current'
  return phases.map((phase, index) => ({
    id: phase,
    ...steps[phase],
    state: index < at ? ('done' as const) : index === at ? current : ('waiting' as const),
  }))
}

/** The outstanding contents, without empty counts. */
export const outstandingOf = (progress: Progress): readonly { readonly label: string; readonly count: number; readonly tone: Tone }[] =>
  (
    [
      ['Pending', progress.items_pending, 'neutral'],
      ['In progress', progress.items_active, 'info'],
      ['Retrying', progress.items_retrying, 'neutral'],
      ['Without a source', progress.items_waiting_source, 'warning'],
      ['Failed', progress.items_failed, 'danger'],
      ['Need a decision', progress.items_attention, 'warning'],
    ] as const
  )
    .filter(([, count]) => count > 0)
    .map(([label, count, tone]) => ({ label, count, tone }))
