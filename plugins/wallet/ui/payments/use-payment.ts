import { $, type Signal, useSignal } from '@builder.io/qwik'
import { type ApiError, call, invalidate, newRequestId, toast, useAction$, usePriceTerms } from '@svc/ui-kit'
import { mayHaveArrived } from './uncertain-answer-policy.ts'

type PaymentKind = 'fund' | 'withdraw' | 'approve'

const requested: Readonly<Record<PaymentKind, string>> = {
  fund: 'Deposit requested',
  withdraw: 'Withdrawal requested',
  approve: 'Approval requested',
}

/**
 * One payment of one opened dialog. All its requests carry the same id, so that a repeat after a refusal or a lost answer is never a second
 * payment.
 */
export function usePayment(kind: PaymentKind, open: Signal<boolean>) {
  const requestId = useSignal(() => newRequestId())
  const terms = usePriceTerms()
  /** The amount of a request whose answer was lost: a repeat must have the same. */
  const uncertain = useSignal<string | undefined>()
  const action = useAction$(async (amount: string) => {
    const id = { client_request_id: requestId.value }
    const options = { headers: terms.headers }
    try {
      if (kind === 'approve') return await call('POST /wallet/approve', { body: id }, options)
      return await call(kind === 'fund' ? 'POST /wallet/fund' : 'POST /wallet/withdraw', { body: { ...id, amount } }, options)
    } catch (error) {
      if (mayHaveArrived(error as ApiError)) uncertain.value = amount
      throw error
    }
  })
  const pay = $(async (amount: bigint) => {
    if (terms.lockedReason) return
    const done = await action.run(String(amount))
    if (!done) return
    invalidate(['GET /wallet', 'GET /wallet/operations'])
    open.value = false
    toast({ title: requested[kind], text: 'Its state is in the list of operations.' })
  })
  return { action, pay, terms, uncertain }
}
