/** What an estimate says, row by row. Pure. */
import type { Answer, Tone } from '@svc/ui-kit'
import { runwayText, runwayTones } from '../runway-policy.ts'

export type Estimate = Answer<'POST /cost/estimate'>

export interface PriceRow {
  readonly label: string
  /** Base units of USDFC, or a text. */
  readonly value: { readonly amount: string } | { readonly text: string; readonly tone?: Tone }
  readonly note?: string
  /** Before the prices changed, if it was another amount. */
  readonly was?: string
}

const isFree = ({ fee, lock, rate }: Estimate) => fee === '0' && lock === '0' && rate.per_month === '0'

/** @param earlier the estimate of the same action with the prices before */
export function priceRows(estimate: Estimate, earlier?: Estimate): readonly PriceRow[] {
  const was = (of: (estimate: Estimate) => string) => (earlier !== undefined && of(earlier) !== of(estimate) ? { was: of(earlier) } : {})
  const { fee, fee_max, lock, rate, runway_before, runway_after } = estimate
  const after = { text: runwayText(runway_after), tone: runwayTones[runway_after.level] }
  const notes = [
    ...(estimate.replaced ? ['while both services are paid'] : []),
    ...(runwayText(runway_before) === after.text ? [] : [`${runwayText(runway_before)} now`]),
  ]
  const runway: PriceRow = { label: 'Deposit lasts', value: after, ...(notes.length > 0 ? { note: notes.join(', ') } : {}) }
  if (isFree(estimate)) return [{ label: 'Price', value: { text: 'No storage fee' }, note: freeNotes[estimate.kind] }, runway]
  return [
    {
      label: 'Fee, once',
      value: { amount: fee },
      ...(fee === fee_max ? {} : { note: 'when objects share calls' }),
      ...was((one) => one.fee),
    },
    ...(fee === fee_max ? [] : [{ label: 'Fee at most', value: { amount: fee_max }, note: 'when each object has its own call' }]),
    { label: 'Locked', value: { amount: lock }, note: 'returned when the storage ends', ...was((one) => one.lock) },
    { label: 'Each month', value: { amount: rate.per_month }, note: 'while it is stored', ...was((one) => one.rate.per_month) },
    runway,
    ...replacedRows(estimate),
  ]
}

/** The service that a replacement ends. */
function replacedRows({ replaced }: Estimate): readonly PriceRow[] {
  if (!replaced) return []
  const { rate, paid_days_after_end: days, runway_after_end: afterEnd } = replaced
  return [
    { label: 'Old service each month', value: { amount: rate.per_month }, note: 'until it has ended' },
    { label: 'Old service after its end', value: { text: `paid for ${days} days from its lock` } },
    {
      label: 'Deposit lasts then',
      value: { text: runwayText(afterEnd), tone: runwayTones[afterEnd.level] },
      note: 'with the new service only',
    },
  ]
}

const gas = 'gas is paid in FIL'
const freeNotes: Readonly<Record<Estimate['kind'], string>> = {
  new_bucket: 'no data set is added',
  raise_target: 'no data set is added',
  upload: 'within the minimum that is paid already',
  replacement: 'no data set is added',
  fund: gas,
  withdraw: gas,
  approve: gas,
  speed_test: 'the bytes are not stored',
}
