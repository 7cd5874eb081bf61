import { $, component$, type Signal, useSignal } from '@builder.io/qwik'
import { ActionPrice, Alert, formatMoney } from '@svc/ui-kit'
import { judgeRunway, runwayAfter, runwayText, type Wallet } from '../account/runway-policy.ts'
import { AmountField } from './amount-field.tsx'
import { readAmount, writeAmount } from './amount-policy.ts'
import { PaymentDialog } from './payment-dialog.tsx'
import { RunwayChange } from './runway-change.tsx'
import { usePayment } from './use-payment.ts'

/** Takes USDFC out of the deposit. */
export const WithdrawDialog = component$<{ open: Signal<boolean>; wallet: Wallet }>((props) => {
  const { action, pay, terms, uncertain } = usePayment('withdraw', props.open)
  const text = useSignal('')
  const account = props.wallet.payment_account ?? undefined
  const { amount, problem } = readAmount(text.value, limitOf(props.wallet))
  const isUncertain = uncertain.value !== undefined
  const confirm = $((written: string) => {
    // What was typed last was not drawn yet, and its price not shown.
    if (written !== text.value) {
      text.value = written
      return
    }
    const { amount } = readAmount(text.value, limitOf(props.wallet))
    return amount === undefined ? undefined : pay(amount)
  })
  const most = account?.withdrawable_funds
  return (
    <PaymentDialog
      open={props.open}
      title="Withdraw from the deposit"
      description="Moves USDFC from the payment account back to the wallet. Locked amounts stay."
      confirmLabel="Withdraw"
      changes="POST /wallet/withdraw"
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
            : most
              ? `${formatMoney(most)} USDFC can be withdrawn now.`
              : 'The payment account could not be read.'
        }
        problem={problem}
        presets={most && most !== '0' ? [{ label: 'Max', amount: writeAmount(BigInt(most)) }] : []}
        isFixed={action.isPending || isUncertain}
      />
      {amount !== undefined && account && <ShortRunway seconds={runwayAfter(account, -amount)} />}
      {amount !== undefined && (
        <ActionPrice action={{ kind: 'withdraw', amount: String(amount) }} terms={terms} error={action.error}>
          {account && <RunwayChange account={account} change={String(-amount)} />}
        </ActionPrice>
      )}
    </PaymentDialog>
  )
})

const limitOf = ({ payment_account: account }: Wallet) =>
  account ? { max: BigInt(account.withdrawable_funds), place: 'free to be withdrawn' } : undefined

const ShortRunway = ({ seconds }: { seconds: number | null }) => {
  const level = judgeRunway(seconds)
  if (level === 'ok') return null
  return (
    <Alert
      tone={level === 'warning' ? 'warning' : 'danger'}
      title={level === 'empty' ? 'No runway is left' : `The rest lasts ${runwayText(seconds).toLowerCase()}`}
    >
      Below 30 days new copies may soon wait for a deposit.
    </Alert>
  )
}
