import { component$ } from '@builder.io/qwik'
import { formatMoney } from '../kit/format/money.ts'
import { toneText } from '../kit/tone.ts'
import { toPercent } from './chart-figures.ts'
import { ChartFrame } from './chart-frame.tsx'
import { type RunwayFacts, runwayMarks, toRunwayDays, toRunwayTone, toTopUp } from './runway-facts.ts'

export interface RunwayProps extends RunwayFacts {
  label: string
  unit?: string | undefined
}

const drawnDays = 200
const height = 120

/** The deposit falling day by day to its locked part, with marks at 30, 90 and 180 days. */
export const Runway = component$<RunwayProps>(({ label, unit = 'USDFC', balance, lockup, perDay }) => {
  const facts = { balance, lockup, perDay }
  const days = toRunwayDays(facts)
  const lastDay = Math.max(drawnDays, Math.min((days ?? 0) * 1.1, 730))
  const xOf = (day: number) => Math.min(100, (day / lastDay) * 100)
  const band = (toPercent(lockup, balance) / 100) * height
  const end = days === undefined ? 100 : xOf(days)
  const endY = days === undefined ? 0 : height - band
  const text = days === undefined ? 'Nothing is spent now' : `${formatDays(days)} left`
  const tone = toRunwayTone(days)
  const money = (amount: bigint | number | string) => `${formatMoney(amount)} ${unit}`
  return (
    <ChartFrame
      label={label}
      summary={`${text}. Deposit ${money(balance)}, of which ${money(lockup)} are locked; ${money(perDay)} per day.`}
      legend={[
        { label: 'Deposit', swatch: 'stroke-c1', dash: '' },
        { label: 'Locked', swatch: 'fill-neutral-fill', value: money(lockup) },
      ]}
      table={{
        columns: ['Runway', 'Top-up needed'],
        rows: [[`now: ${text}`, money(0)], ...runwayMarks.map((day) => [`${day} days`, money(toTopUp(facts, day))])],
      }}
    >
      <div class="mb-2 flex items-baseline gap-2">
        <span class={['text-2xl font-semibold tracking-tight', days !== undefined && toneText[tone]]}>{text}</span>
        <span class="text-xs text-muted">{money(perDay)} per day</span>
      </div>
      <svg viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" width="100%" height={height} aria-hidden="true" class="block border-b">
        <path d={`M0 0L${end} ${endY}L${end} ${height}L0 ${height}Z`} class="fill-c1 opacity-15" />
        <rect y={height - band} width="100" height={band} class="fill-neutral-fill opacity-35" />
        <path d={`M0 0L${end} ${endY}`} fill="none" stroke-width="2" vector-effect="non-scaling-stroke" class="stroke-c1" />
        {runwayMarks.map((day) => (
          <path
            key={day}
            d={`M${xOf(day)} 0V${height}`}
            vector-effect="non-scaling-stroke"
            stroke-width="1"
            stroke-dasharray={days !== undefined && days >= day ? undefined : '3 3'}
            class={days !== undefined && days >= day ? 'stroke-success-fill' : 'stroke-edge'}
          />
        ))}
      </svg>
      <div class="relative mt-1 h-4 text-2xs text-muted">
        <span class="absolute left-0">today</span>
        {runwayMarks.map((day) => (
          <span key={day} class="absolute -translate-x-1/2 whitespace-nowrap" style={{ left: `${xOf(day)}%` }}>
            {day} d{days !== undefined && days >= day ? ' ✓' : ''}
          </span>
        ))}
      </div>
    </ChartFrame>
  )
})

const formatDays = (days: number) => (days >= 10 ? `${Math.floor(days)} days` : `${days} days`)
