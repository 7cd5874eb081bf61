import { $, component$, type Signal, useSignal } from '@builder.io/qwik'
import { ActionPrice, Alert, formatMoney, useSearchParam } from '@svc/ui-kit'
import { topUpTo, type Wallet } from '../account/runway-policy.ts'
import { AmountField, type Preset } from './amount-field.tsx'
import { readAmount, writeAmount } from './amount-policy.ts'
import { PaymentDialog } from './payment-dialog.tsx'
import { RunwayChange } from './runway-change.tsx'
import { usePayment } from './use-payment.ts'

const offeredDays = [30, 90, 180] as const

/** Deposits USDFC of the wallet. */
export const FundDialog = component$<{ open: Signal<boolean>; wallet: Wallet }>((props) => {
  const { action, pay, terms, uncertain } = usePayment('fund', props.open)
  const days = useSearchParam('days')
  const account = props.wallet.payment_account ?? undefined
  const balance = props.wallet.wallet_balances?.usdfc
  const text = useSignal(() => (account && Number(days.value) > 0 ? startAmount(topUpTo(Number(days.value), account)) : ''))
  const { amount, problem } = readAmount(text.value, limitOf(balance))
  const isUncertain = uncertain.value !== undefined
  const confirm = $((written: string) => {
    // What was typed last was not drawn yet, and its price not shown.
    if (written !== text.value) {
      text.value = written
      return
    }
    const { amount } = readAmount(text.value, limitOf(props.wallet.wallet_balances?.usdfc))
    return amount === undefined ? undefined : pay(amount)
  })
  return (
    <PaymentDialog
      open={props.open}
      title="Fund the deposit"
      description="Moves USDFC from the wallet into its payment account. It can be withdrawn while it is not locked."
      confirmLabel="Deposit"
      changes="POST /wallet/fund"
      pending={action.isPending}
      lockedReason={amount === undefined ? 'Type an amount first.' : terms.lockedReason}
      isUncertain={isUncertain}
      onConfirm$={confirm}
    >
      <AmountField
        value={text}
        help={
          isUncertain
            ? 'A repeat has the same amount.'
            : balance
              ? `${formatMoney(balance)} USDFC are in the wallet.`
              : 'The balance of the wallet could not be read.'
        }
        problem={problem}
        presets={presetsFor(props.wallet)}
        isFixed={action.isPending || isUncertain}
      />
      {props.wallet.wallet_balances?.fil_gas === '0' && (
        <Alert tone="warning">The wallet has no FIL to pay the gas of the transaction. Send some to its address first.</Alert>
      )}
      {amount !== undefined && (
        <ActionPrice action={{ kind: 'fund', amount: String(amount) }} terms={terms} error={action.error}>
          {account && <RunwayChange account={account} change={String(amount)} />}
        </ActionPrice>
      )}
    </PaymentDialog>
  )
})

const startAmount = (missing: bigint): string => (missing === 0n ? '' : writeAmount(missing))

const limitOf = (balance: string | null | undefined) => (balance ? { max: BigInt(balance), place: 'in the wallet' } : undefined)

function presetsFor({ payment_account: account, wallet_balances: balances }: Wallet): readonly Preset[] {
  const lasting = account?.no_active_spend === false ? offeredDays.map((days) => [days, topUpTo(days, account)] as const) : []
  return [
    ...lasting.map(([days, amount]) => ({
      label: `To ${days} days`,
      amount: writeAmount(amount),
      lockedReason: amount === 0n ? 'The deposit lasts longer already.' : undefined,
    })),
    ...(balances?.usdfc && balances.usdfc !== '0' ? [{ label: 'Max', amount: writeAmount(BigInt(balances.usdfc)) }] : []),
  ]
}
