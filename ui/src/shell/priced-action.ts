import type { ApiError } from '../data/api-error.ts'

/** An action that may cost, as its dialog names it. */
type PricedAction =
  | { readonly kind: 'new_bucket'; readonly copies?: number }
  | { readonly kind: 'raise_target'; readonly bucket: string; readonly copies: number }
  /** `objects` of `bytes` each. */
  | { readonly kind: 'upload'; readonly bucket: string; readonly objects: number; readonly bytes: number }
  | { readonly kind: 'replacement'; readonly data_set_id: number }
  /** Base units of USDFC. */
  | { readonly kind: 'fund' | 'withdraw'; readonly amount: string }
  | { readonly kind: 'approve' | 'speed_test' }

/** What the operator saw of a price, for the request of the action. */
export interface PriceTerms {
  /** The service refuses the action when they no longer hold. */
  headers: Readonly<Record<string, string>>
  /** Why the action waits, for its button: its price is being computed. */
  lockedReason: string | undefined
}

export const pricePending = 'The price is being estimated.'

export interface ActionPriceProps {
  action: PricedAction
  /** Written here, read by the dialog. */
  terms: PriceTerms
  /** Refusal of the action. */
  error?: ApiError | undefined
}
