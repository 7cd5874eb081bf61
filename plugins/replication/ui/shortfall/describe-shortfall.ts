/** Objects with too few copies, in words. Pure. */
import { type Answer, formatPlural, type Tone } from '@svc/ui-kit'

export type Cause = Answer<'GET /below-target/causes'>['causes'][number]
export type Shortfall = Answer<'GET /below-target'>['objects'][number]
type Work = Shortfall['work']

export const works = ['stuck', 'waiting', 'working'] as const
export const workWords: Readonly<Record<Work, string>> = { stuck: 'Stuck', waiting: 'Waiting', working: 'Worked on' }
export const workTones: Readonly<Record<Work, Tone>> = { stuck: 'danger', waiting: 'warning', working: 'info' }

/** Returns undefined for a value that the API would refuse. */
export const readWork = (text: string): Work | undefined => works.find((work) => work === text)

/** `Provider 2 (devnet-provider-2)` */
const providerText = ({ provider_id, provider_name }: Pick<Cause, 'provider_id' | 'provider_name'>): string =>
  provider_name === undefined ? `Provider ${provider_id}` : `Provider ${provider_id} (${provider_name})`

/** `Provider 2 (name) fails: 10 objects below target, 19 failed tasks` */
export function causeText(cause: Cause): string {
  const objects = formatPlural(cause.objects, 'object below target', 'objects below target')
  const tasks = cause.failed_tasks > 0 ? `, ${formatPlural(cause.failed_tasks, 'failed task')}` : ''
  return `${subjectOf(cause)}: ${objects}${tasks}`
}

function subjectOf(cause: Cause): string {
  if (cause.work === 'waiting') return cause.provider_id === undefined ? 'Waiting' : `Waiting for ${providerText(cause)}`
  return cause.provider_id === undefined ? 'No failure is recorded' : `${providerText(cause)} fails`
}

/** Why an object lacks copies: its wait, or the failures at its providers. */
export function reasonText({ work, wait_message, failures }: Shortfall): string {
  if (work === 'waiting') return wait_message ?? 'Its tasks wait.'
  const failed = failures.map((failure) => `${providerText(failure)}: ${failure.message}`)
  return failed.length > 0 ? failed.join('; ') : work === 'stuck' ? 'No failure is recorded.' : ''
}
