import { component$ } from '@builder.io/qwik'
import { ChartFrame, formatMoney } from '@svc/ui-kit'
import { lockedShare, runwayPoints } from './runway-points-policy.ts'
import { type Account, judgeRunway, runwayText, topUpTo } from './runway-policy.ts'

const fills = { ok: 'fill-success-fill', warning: 'fill-warning-fill', serious: 'fill-danger-fill', empty: 'fill-danger-fill' } as const

/** The available amount falls to zero; the locked one stays. */
export const RunwayPicture = component$<{ account: Account; seconds: number }>(({ account, seconds }) => {
  const { endX, rightY, marks } = runwayPoints(seconds)
  const fill = fills[judgeRunway(seconds)]
  const lockedHeight = lockedShare(account)
  const floor = 100 - lockedHeight
  const toY = (height: number) => floor - (height * floor) / 100
  const [available, locked] = [formatMoney(account.available_funds), formatMoney(account.lockup_current)]
  return (
    <ChartFrame
      label="Runway of the deposit"
      summary={`${available} USDFC are available and last ${runwayText(seconds)}. ${locked} USDFC are locked and stay.`}
      legend={[
        { label: 'Available', swatch: fill, value: `${available} USDFC` },
        { label: 'Locked', swatch: 'fill-c5', value: `${locked} USDFC` },
      ]}
      table={{
        columns: ['To last', 'Deposit missing'],
        rows: marks.map((mark) => [`${mark.days} days`, `${formatMoney(topUpTo(mark.days, account), { up: true })} USDFC`]),
      }}
    >
      <div class="relative h-36 min-w-0">
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true" class="absolute inset-0 size-full rounded-sm bg-sunken/60">
          <polygon points={`0,${toY(100)} ${endX},${toY(rightY)} ${endX},${floor} 0,${floor}`} class={fill} opacity="0.75" />
          <rect x="0" y={floor} width="100" height={lockedHeight} class="fill-c5" opacity="0.45" />
        </svg>
        <svg width="100%" height="100%" aria-hidden="true" class="absolute inset-0">
          {marks.map(({ days, x }) => (
            <line key={days} x1={`${x}%`} x2={`${x}%`} y1="0" y2="100%" class="stroke-edge" stroke-dasharray="3 3" />
          ))}
        </svg>
      </div>
      <svg width="100%" height="16" aria-hidden="true" class="block overflow-visible text-2xs">
        {marks.map(({ days, x, isMissed }) => (
          <text key={days} x={`${x}%`} y="13" text-anchor="middle" class={isMissed ? 'fill-fg font-medium' : 'fill-muted'}>
            {days} days
          </text>
        ))}
      </svg>
    </ChartFrame>
  )
})
