import { component$ } from '@builder.io/qwik'
import { formatMoney, hrefOf, StatCard } from '@svc/ui-kit'
import { type Cost, fundedUntil, runwayText, runwayTones } from '../runway-policy.ts'

const price = (amount: string | undefined) => (amount === undefined ? 'Not known' : formatMoney(amount, { up: true }))
const exact = (amount: string | undefined) => (amount === undefined ? undefined : `${formatMoney(amount, { digits: 18 })} USDFC`)

/** Runway, rate, locked amount and fees; grey blocks until they are known. */
export const CostFigures = component$<{ cost: Cost | undefined }>(({ cost }) => (
  <div class="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
    <StatCard
      label="Deposit lasts"
      icon="hourglass"
      href={hrefOf('/wallet')}
      value={cost && runwayText(cost.runway)}
      sub={cost && (fundedUntil(cost.runway) ?? runwaySub(cost.runway))}
      subTone={cost && cost.runway.level !== 'ok' ? runwayTones[cost.runway.level] : undefined}
    />
    <StatCard
      label="USDFC each month"
      icon="calendar"
      value={cost && price(cost.rate?.per_month)}
      exact={exact(cost?.rate?.per_month)}
      sub={cost?.rate ? `${price(cost.rate.per_day)} a day` : 'The account was not read'}
    />
    <StatCard
      label="USDFC locked"
      icon="lock"
      value={cost && (cost.account ? formatMoney(cost.account.locked.total) : 'Not known')}
      exact={exact(cost?.account?.locked.total)}
      sub={cost?.account ? `of ${formatMoney(cost.account.funds)} deposited` : 'The account was not read'}
    />
    <StatCard
      label="USDFC of fees so far"
      icon="receipt"
      value={cost && price(cost.fees.total)}
      exact={exact(cost?.fees.total)}
      sub={cost?.fees_pending ? `${price(cost.fees_pending)} still due` : undefined}
    />
  </div>
))

const runwaySub = ({ level }: Cost['runway']): string => (level === 'unknown' ? 'The account was not read' : 'No data set is paid')
