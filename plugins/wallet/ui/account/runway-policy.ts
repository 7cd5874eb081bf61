/** The runway of the deposit: what it is, and what it would be with another deposit. Pure; amounts are base units of USDFC. */
import type { Answer, Tone } from '@svc/ui-kit'

export type Wallet = Answer<'GET /wallet'>
export type Account = NonNullable<Wallet['payment_account']>

const daySeconds = 86_400n
/** Below these many days an operator is warned. */
const warningDays = 30n
const seriousDays = 7n
/** Preset amounts have this many base units or a multiple. */
const presetStep = 10n ** 12n
const offeredDays = 90n

type RunwayLevel = 'ok' | 'warning' | 'serious' | 'empty'

export const runwayTones: Readonly<Record<RunwayLevel, Tone>> = { ok: 'success', warning: 'warning', serious: 'danger', empty: 'danger' }

/** Seconds that the deposit lasts after `change` is added to it; null without running costs. */
export function runwayAfter(account: Account, change: bigint): number | null {
  const perDay = BigInt(account.lockup_rate_per_day)
  if (perDay === 0n) return null
  const left = BigInt(account.available_funds) - debtOf(account) + change
  if (left <= 0n) return 0
  const seconds = (left * daySeconds) / perDay
  return Number(seconds > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : seconds)
}

/** The API names the debt only as a part of the deposit that it offers. */
const debtOf = ({ deposit_for_90_days, lockup_rate_per_day }: Account): bigint => {
  const debt = BigInt(deposit_for_90_days) - BigInt(lockup_rate_per_day) * offeredDays
  return debt > 0n ? debt : 0n
}

export function judgeRunway(seconds: number | null): RunwayLevel {
  if (seconds === null || seconds >= Number(warningDays * daySeconds)) return 'ok'
  if (seconds === 0) return 'empty'
  return seconds >= Number(seriousDays * daySeconds) ? 'warning' : 'serious'
}

/** `128 days`, `31 hours`; two days and more are whole days. */
export function runwayText(seconds: number | null): string {
  if (seconds === null) return 'Nothing is spent'
  if (seconds === 0) return 'Used up'
  if (seconds >= 2 * Number(daySeconds)) return `${Math.floor(seconds / Number(daySeconds)).toLocaleString('en-US')} days`
  if (seconds >= 7200) return `${Math.floor(seconds / 3600)} hours`
  return seconds < 120 ? 'Less than two minutes' : `${Math.floor(seconds / 60)} minutes`
}

/** The deposit with which the account lasts `days` from now; zero when it does already. Rounded up to six decimals. */
export function topUpTo(days: number, account: Account): bigint {
  const missing = BigInt(account.lockup_rate_per_day) * BigInt(days) - BigInt(account.available_funds) + debtOf(account)
  return missing <= 0n ? 0n : ((missing + presetStep - 1n) / presetStep) * presetStep
}

interface RunwayAdvice {
  readonly tone: Tone
  readonly title: string
  readonly text: string
}

/** What an operator has to know and do; undefined while the deposit lasts long enough. */
export function adviseRunway(seconds: number | null): RunwayAdvice | undefined {
  const level = judgeRunway(seconds)
  if (level === 'ok') return undefined
  if (level === 'empty')
    return {
      tone: 'danger',
      title: 'The deposit is used up',
      text: 'New objects are kept in the cache only, and providers may end the storage of others. Deposit now.',
    }
  const text = 'When it is used up, new objects get no copies, and providers may end the storage of others. Deposit more.'
  return { tone: level === 'serious' ? 'danger' : 'warning', title: `The deposit lasts ${runwayText(seconds)} only`, text }
}
