import { component$ } from '@builder.io/qwik'
import { Alert, Button, Card, formatExactTime, Money, setSearch, toneText } from '@svc/ui-kit'
import { RunwayPicture } from './runway-picture.tsx'
import { type Account, adviseRunway, judgeRunway, runwayText, runwayTones, type Wallet } from './runway-policy.ts'

/** How long the deposit lasts, first and largest. */
export const RunwayCard = component$<{ wallet: Wallet }>(({ wallet }) => {
  const account = wallet.payment_account
  if (!account) {
    return (
      <Card title="The deposit lasts">
        <p class="text-3xl font-semibold tracking-tight text-muted">Not known</p>
        <p class="mt-1 text-sm text-muted">The payment account could not be read. It is read again within a minute.</p>
      </Card>
    )
  }
  const seconds = account.no_active_spend ? null : (account.runway_seconds ?? 0)
  const advice = adviseRunway(seconds)
  return (
    <Card title="The deposit lasts">
      <div class="grid gap-x-10 gap-y-5 lg:grid-cols-[minmax(15rem,1fr)_2fr]">
        <div class="min-w-0">
          <Figure account={account} seconds={seconds} />
          {advice && (
            <div class="mt-4">
              <Alert tone={advice.tone} title={advice.title}>
                {advice.text}
                <Button
                  q:slot="actions"
                  size="sm"
                  icon="coins"
                  changes="POST /wallet/fund"
                  onClick$={() => setSearch({ do: 'fund', days: '90' })}
                >
                  Deposit for 90 days
                </Button>
              </Alert>
            </div>
          )}
        </div>
        {seconds !== null && <RunwayPicture account={account} seconds={seconds} />}
      </div>
    </Card>
  )
})

const Figure = ({ account, seconds }: { account: Account; seconds: number | null }) => {
  const level = judgeRunway(seconds)
  return (
    <>
      <p class={['text-5xl font-semibold tracking-tight', level !== 'ok' && toneText[runwayTones[level]]]}>{runwayText(seconds)}</p>
      <p class="mt-2 text-sm">
        {seconds === null ? (
          'No data set is paid: the deposit stays as it is.'
        ) : account.funded_until_time === undefined ? (
          'Longer than the calendar of this page.'
        ) : (
          <>
            until <span title={formatExactTime(account.funded_until_time)}>{account.funded_until_time.slice(0, 10)}</span>
          </>
        )}
      </p>
      {seconds !== null && (
        <p class="mt-1 text-sm text-muted">
          at <Money value={account.lockup_rate_per_day} price /> a day, <Money value={account.lockup_rate_per_month} price /> in 30 days
        </p>
      )}
    </>
  )
}
