import { component$ } from '@builder.io/qwik'
import { Card, formatExactCount, KeyValue, KeyValues, Money } from '@svc/ui-kit'
import type { Wallet } from './runway-policy.ts'

/** What the wallet and its payment account have, and what is paid. */
export const BalancesCard = component$<{ wallet: Wallet }>(({ wallet: { wallet_balances: balances, payment_account: account } }) => (
  <Card title="Balances">
    <KeyValues>
      <KeyValue label="FIL for gas">
        <Money value={balances?.fil_gas} token="FIL" />
      </KeyValue>
      <KeyValue label="USDFC in the wallet" help="Not deposited.">
        <Money value={balances?.usdfc} />
      </KeyValue>
      <KeyValue label="Deposited">
        <Money value={account?.funds} />
      </KeyValue>
      <KeyValue label="Available" help="Neither locked nor owed.">
        <Money value={account?.available_funds} />
      </KeyValue>
      <KeyValue label="Locked" help="Returned when the storage ends.">
        <Money value={account?.lockup_current} />
      </KeyValue>
      <KeyValue label="Rate each epoch">
        <Money value={account?.lockup_rate} digits={12} price />
      </KeyValue>
      <KeyValue label="Rate each day">
        <Money value={account?.lockup_rate_per_day} price />
      </KeyValue>
      <KeyValue label="Rate in 30 days">
        <Money value={account?.lockup_rate_per_month} price />
      </KeyValue>
      <KeyValue label="Funded until epoch">{formatExactCount(account?.funded_until_epoch)}</KeyValue>
    </KeyValues>
  </Card>
))
