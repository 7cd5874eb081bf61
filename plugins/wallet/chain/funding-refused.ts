/** The funding request was rejected; the message is for the operator. */
export class FundingRefused extends Error {
  override readonly name = 'FundingRefused'
  readonly reason:
    | 'amount_not_positive'
    | 'wallet_balance_too_low'
    | 'available_funds_too_low'
    | 'contracts_not_supported'
    | 'limits_below_usage'

  constructor(reason: FundingRefused['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}
