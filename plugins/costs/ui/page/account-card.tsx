import { component$ } from '@builder.io/qwik'
import { Alert, Card, KeyValue, KeyValues, Link, Money, SkeletonLines } from '@svc/ui-kit'
import type { Cost } from '../runway-policy.ts'

/** The parts of the deposit. */
export const AccountCard = component$<{ cost: Cost | undefined }>(({ cost }) => (
  <Card title="Deposit">
    <Link q:slot="actions" to="/wallet" class="text-accent hover:underline">
      Wallet
    </Link>
    {!cost && <SkeletonLines lines={5} label="Loading the deposit" />}
    {cost && !cost.account && <p class="text-sm text-muted">The account was not read yet.</p>}
    {cost?.account && <Account account={cost.account} />}
  </Card>
))

const Account = ({ account: { funds, available, debt, locked } }: { account: NonNullable<Cost['account']> }) => (
  <>
    {debt !== '0' && (
      <Alert tone="danger" title="The account is in debt">
        Objects cannot be stored until <Money value={debt} price /> and more is deposited.
      </Alert>
    )}
    <KeyValues>
      <KeyValue label="Deposited">
        <Money value={funds} />
      </KeyValue>
      <KeyValue label="Available">
        <Money value={available} />
      </KeyValue>
      <KeyValue label="Locked: reserves" help="From which the fees of calls are paid; returned when a data set ends.">
        <Money value={locked.reserve} />
      </KeyValue>
      <KeyValue label="Locked: rate in advance" help="The present rate for the lockup period; of a data set that ends, until its end.">
        <Money value={locked.advance} />
      </KeyValue>
      <KeyValue label="Owed, not settled yet" help="Due to providers for past storage.">
        <Money value={locked.accrued} price />
      </KeyValue>
    </KeyValues>
  </>
)
